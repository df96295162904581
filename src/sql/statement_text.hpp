// What is read off a statement's text without knowing a database's grammar.
#pragma once

#include <string>
#include <string_view>

namespace errand::sql {

// The text with each run of white space as one space.
std::string one_line(std::string_view text);

// How a statement begins, on one line, for messages.
std::string beginning(std::string_view statement);

// Its first word, in capitals; comments and brackets before it are passed over.
std::string first_word(std::string_view statement);

// Whether it reads or changes rows: then it will come again, and its plan is worth keeping. What else there is (BEGIN, SET,
// CREATE …) costs nothing to plan, and not every server prepares it. One of many kilobytes was put together for its values,
// as an insert of many rows is, and does not come again.
bool is_worth_keeping(std::string_view statement);

}  // namespace errand::sql
