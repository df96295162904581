// Looks in `search_index` (search_index.js), which has a row for each section: [address, page, heading, text in small letters].
(function () {
    const field = document.getElementById("search"), found = document.getElementById("found"), most = 12;
    const base = field.dataset.base;

    function points(row, words) {
        const heading = row[2].toLowerCase(), page = row[1].toLowerCase();
        let sum = 0;
        for (const word of words) {
            if (heading.includes(word)) sum += 10;
            else if (page.includes(word)) sum += 5;
            else if (row[3].includes(word)) sum += 1;
            else return 0;
        }
        return sum;
    }
    function around(text, word) {
        const at = Math.max(0, text.indexOf(word) - 40);
        return (at > 0 ? "…" : "") + text.substr(at, 110) + "…";
    }
    field.addEventListener("input", function () {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        found.replaceChildren();
        if (words.length === 0) return;
        const rows = search_index.map(row => [points(row, words), row]).filter(one => one[0] > 0);
        rows.sort((a, b) => b[0] - a[0]);
        for (const [, row] of rows.slice(0, most)) {
            const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
            link.href = base + row[0];
            link.textContent = row[1] === row[2] ? row[1] : row[1] + ": " + row[2];
            text.textContent = around(row[3], words[0]);
            item.append(link, text);
            found.append(item);
        }
    });
})();
