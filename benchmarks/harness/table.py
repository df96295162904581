"""Records as text for people, and as Markdown."""
from contenders import PEERS, TITLES
from measures import FLOOR_OF_TARGETS


def number(value):
    if value is None:
        return "-"
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f}"


def ratio(value):
    return "-" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def extent(of):
    return f"{number(of['min'])} – {number(of['max'])}"


def yes(reached):
    return "-" if reached is None else "yes" if reached else "NO"


def main_rows(records):
    peers = [name for name in PEERS if any(name in one.get("peers", {}) for one in records)]
    head = ["measure", "unit", "errand", "min – max", "floor", "ratio"]
    for name in peers:
        head += [TITLES[name], "ratio"]
    rows = []
    for one in records:
        once = "" if one["rounds"] > 1 else " (once)"
        row = [one["name"], one["unit"], number(one["value"]), extent(one) + once, number(one["floor"]),
               ratio(one["ratio_floor"])]
        for name in peers:
            peer = one.get("peers", {}).get(name)
            row += [number(peer["value"]), ratio(peer["ratio"])] if peer else ["-", "-"]
        rows.append(row)
    return [head] + rows


def target_rows(records):
    rows = [["target", "must", "reached", "aim", "reached", "value"]]
    for one in records:
        if "must" not in one:
            continue
        relative = one["must_of"] == "floor"
        sign = ">=" if one["better"] == "more" else "<="
        unit = " x floor" if relative else ""
        must, aim = (f"{sign} {number(one[which])}{unit}" if which in one else "-" for which in ("must", "aim"))
        value = number(one["value"])
        if relative:
            value = ratio(one["value"] / one["floor"] if one["floor"] else None) + unit
        rows.append([one["name"], must, yes(one["must_reached"]), aim, yes(one.get("aim_reached")), value])
    return rows


def floor_sentence(records):
    for one in records:
        if one["name"] == "drain_c100" and one["floor"]:
            part = one["floor"] / FLOOR_OF_TARGETS
            return (f"Targets that are not parts of the floor are for a machine whose floor drains "
                    f"{FLOOR_OF_TARGETS:,} tasks/s (drain_c100); here it drains {number(one['floor'])}, {part:.2f} "
                    "of that.")
    return ("The floor's drain (drain_c100) was not measured, so nothing says how far the absolute targets fit this "
            "machine.")


def heading(records):
    one = records[0]
    rounds = max(other["rounds"] for other in records)
    return (f"errand {one['commit']}, Redis {one['redis']}, {one['machine']}, {one['date']}, {one['mode']} run, "
            f"medians of {rounds} round{'s' if rounds > 1 else ''}, load before it {one['load']}.")


LEGEND = "A ratio above 1 says that errand is better: more of a rate, less of a time, a cost or a size."


def as_text(rows, right_from):
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if at < right_from else cell.rjust(width)
                 for at, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def as_markdown(rows, right_from):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("---" if at < right_from else "---:" for at in range(len(rows[0]))) + " |")
    return "\n".join(lines)


def whole(records, form=as_text):
    parts = [heading(records), LEGEND, form(main_rows(records), 2)]
    targets = target_rows(records)
    if len(targets) > 1 and records[0]["mode"] != "smoke":  # so few tasks reach no target
        parts += [form(targets, 1), floor_sentence(records)]
    return "\n\n".join(parts)
