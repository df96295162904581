// Who is here and what he may do: without the right no button is drawn, and the server refuses as well.
let now = { may_change: false, user: '', namespace: '', version: '', needs_token: false, name_spaces: 0 };

export const use = (session) => { now = session; };
export const session = () => now;
export const mayChange = () => now.may_change;
