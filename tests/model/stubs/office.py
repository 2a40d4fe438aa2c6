"""An office suite with a CRM: contacts, deals, tasks, mail, calendar,
invoices, tickets, documents. Lists go on with a cursor. Most answers are
structured, reports are Markdown, and some lists are JSON as text."""
import stub
from stub import Refused, day, number, pick

FIRST = ["Ada", "Ben", "Cleo", "Dario", "Elif", "Finn", "Grace", "Hugo",
         "Iris", "Jamal", "Kaya", "Luis", "Mona", "Nils", "Olga"]
LAST = ["Aydin", "Berg", "Costa", "Diaz", "Engel", "Fischer", "Grant",
        "Haddad", "Ivanov", "Jensen"]
COMPANIES = ["Nordwind", "Bluefin", "Cedar & Co", "Delta Works", "Evergreen",
             "Foxglove", "Granite", "Harbor"]
OWNERS = ["maria", "tom", "yuki", "zara"]
STAGES = ["lead", "qualified", "proposal", "won", "lost"]
INDUSTRIES = ["shipping", "food", "energy", "software"]


def company(n):
    return {"id": f"co_{n}", "name": COMPANIES[n - 1],
            "industry": pick(("co", n), INDUSTRIES),
            "employees": 20 + number(("co", n, "e"), 2000),
            "country": pick(("co", n, "c"), ["NO", "DE", "PT", "TR"]),
            "annualRevenue": 10000 * number(("co", n, "r"), 5000)}


def contact(n):
    first, last = pick(("ct", n), FIRST), pick(("ct", n, "l"), LAST)
    which = 1 + number(("ct", n, "co"), 8)
    return {"id": f"ct_{n}", "firstName": first, "lastName": last,
            "email": f"{first}.{last}{n}@example.com".lower(),
            "companyId": f"co_{which}",
            "phone": None if n % 6 == 0 else f"+47 555 {n:04}",
            "tags": [pick(("ct", n, "t"), ["vip", "partner", "newsletter"])],
            "createdAt": day(("ct", n))}


def deal(n):
    key = "deal", n
    return {"id": f"deal_{n}", "name": f"{pick(key, COMPANIES)} "
            f"{pick((key, 'k'), ['renewal', 'pilot', 'upgrade'])}",
            "companyId": f"co_{1 + COMPANIES.index(pick(key, COMPANIES))}",
            "stage": pick((key, "s"), STAGES), "owner": pick((key, "o"),
                                                             OWNERS),
            "amount": {"value": 500 * (1 + number((key, "a"), 190)),
                       "currency": pick((key, "c"), ["EUR", "EUR", "USD"])},
            "closeDate": day((key, "d"))}


def task(n):
    key = "task", n
    verb = pick(key, ["Call", "Write to", "Visit"])
    return {"id": f"task_{n}",
            "title": f"{verb} {pick((key, 'c'), COMPANIES)}",
            "status": pick((key, "s"), ["todo", "doing", "done"]),
            "priority": pick((key, "p"), ["low", "normal", "high"]),
            "assignee": pick((key, "a"), OWNERS), "dueDate": day((key, "d")),
            "estimateHours": None if n % 7 == 0 else
            (1 + number((key, "e"), 16)) / 2}


def event(n):
    key = "event", n
    hour = 8 + number((key, "h"), 9)
    date = f"2025-09-{1 + number((key, 'd'), 14):02}"
    return {"id": f"ev_{n}", "title": pick(key, ["Standup", "Review", "Demo",
                                                 "Lunch", "Interview"]),
            "start": f"{date}T{hour:02}:00:00",
            "end": f"{date}T{hour + 1 + number((key, 'l'), 2):02}:00:00",
            "attendees": sorted({pick((key, i), OWNERS) for i in range(3)}),
            "room": pick((key, "r"), ["Fjord", "Birch", None])}


def mail(n):
    key = "mail", n
    return {"id": f"msg_{n}", "from": contact(1 + number(key, 45))["email"],
            "subject": pick((key, "s"), ["Question on invoice", "Offer",
                                         "Meeting", "Complaint", "Thanks"]),
            "unread": number((key, "u"), 3) == 0,
            "receivedAt": day((key, "d")) + "T09:30:00Z",
            "snippet": f"Dear team, about case {number((key, 'c'), 900)}",
            "attachments": number((key, "a"), 3)}


def invoice(n):
    key = "invoice", n
    lines = [{"sku": f"P-{1 + number((key, i), 12)}",
              "quantity": 1 + number((key, i, 'q'), 9)} for i in range(3)]
    return {"id": f"inv_{n}", "number": f"2025-{n:04}",
            "companyId": f"co_{1 + number((key, 'c'), 8)}",
            "status": pick((key, "s"), ["paid", "open", "overdue"]),
            "lines": lines, "total": str(sum(
                line["quantity"] * price(line["sku"]) for line in lines)),
            "issuedOn": day((key, "d"))}


def price(sku):
    return 10 + number(sku, 240)


def product(n):
    stuff = pick(("p", n), ["Oak", "Steel", "Glass"])
    kind = pick(("p", n, "k"), ["desk", "lamp", "shelf"])
    return {"id": f"P-{n}", "name": f"{stuff} {kind} {n}",
            "unitPrice": price(f"P-{n}"), "stock": number(("p", n, "s"), 60)}


def ticket(n):
    key = "ticket", n
    return {"id": f"tk_{n}",
            "subject": pick(key, ["Login fails", "Broken part",
                                  "Late delivery", "Refund"]),
            "status": pick((key, "s"), ["open", "pending", "solved"]),
            "priority": 1 + number((key, "p"), 4),
            "contactId": f"ct_{1 + number((key, 'c'), 45)}",
            "firstReplyMinutes": number((key, "m"), 600)}


def document(n):
    return {"id": f"doc_{n}", "title": pick(("doc", n), ["Plan", "Minutes",
                                            "Budget", "Contract"]) + f" {n}",
            "owner": pick(("doc", n, "o"), OWNERS),
            "words": 100 + number(("doc", n, "w"), 4000)}


def named(prefix, *names):
    return [{"id": f"{prefix}_{n}", "name": name}
            for n, name in enumerate(names, 1)]


def many(make, count):
    return [make(n) for n in range(1, count + 1)]


DATA = {
    "Company": many(company, 8), "Contact": many(contact, 45),
    "Deal": many(deal, 70), "Task": many(task, 55), "Event": many(event, 24),
    "Message": many(mail, 60), "Invoice": many(invoice, 48),
    "Product": many(product, 12), "Ticket": many(ticket, 80),
    "Document": many(document, 16),
    "Campaign": [{"id": f"cam_{n}", "name": f"Wave {n}",
                  "sent": 1000 * n, "opened": number(("cam", n), 900 * n),
                  "clicked": number(("cam", n, "c"), 90 * n)}
                 for n in range(1, 7)],
    "Note": [{"id": f"note_{n}", "contactId": f"ct_{n}", "text":
              f"Prefers {pick(('note', n), ['mail', 'phone', 'letters'])}"}
             for n in range(1, 11)],
    "Team": named("team", "Sales", "Support", "Finance"),
    "Room": named("room", "Fjord", "Birch"),
    "Folder": named("fol", "Inbox", "Archive", "Clients"),
    "Webhook": [],
}
FILTERS = {
    "Company": {"industry?": "string", "country?": "string"},
    "Contact": {"companyId?": "string", "tag?": "vip|partner|newsletter"},
    "Deal": {"stage?": "|".join(STAGES), "owner?": "string",
             "companyId?": "string"},
    "Task": {"status?": "todo|doing|done", "assignee?": "string",
             "priority?": "low|normal|high"},
    "Event": {"from?": "string:ISO date", "to?": "string:ISO date"},
    "Message": {"unread?": "boolean", "subject?": "string"},
    "Invoice": {"status?": "paid|open|overdue", "companyId?": "string"},
    "Ticket": {"status?": "open|pending|solved", "contactId?": "string",
               "priority?": "integer:1 (urgent) to 4"},
    "Document": {"owner?": "string"}, "Note": {"contactId?": "string"},
}
CREATE = {
    "Contact": {"firstName": "string", "lastName": "string", "email":
                "string", "companyId?": "string", "tags?": "string[]"},
    "Company": {"name": "string", "industry?": "string"},
    "Deal": {"name": "string", "amount": "object:{value, currency}",
             "companyId?": "string", "stage?": "|".join(STAGES)},
    "Task": {"title": "string", "assignee?": "string", "dueDate?": "string",
             "priority?": "low|normal|high"},
    "Event": {"title": "string", "start": "string", "end": "string",
              "attendees?": "string[]"},
    "Invoice": {"companyId": "string", "lines": "object[]"},
    "Ticket": {"subject": "string", "contactId": "string",
               "priority?": "integer"},
    "Document": {"title": "string", "content?": "string"},
    "Note": {"contactId": "string", "text": "string"},
    "Webhook": {"url": "string"},
    "Product": {"name": "string", "unitPrice": "number", "stock?": "integer"},
}
PREFIX = {"Contact": "ct", "Company": "co", "Deal": "deal", "Task": "task",
          "Event": "ev", "Invoice": "inv", "Ticket": "tk", "Document": "doc",
          "Note": "note", "Webhook": "wh", "Product": "P"}
# Listed as JSON text without a cursor; all others are structured.
AS_TEXT = {"Product", "Event", "Note", "Webhook"}
MOST = 25
OFFICE = stub.Stub("office")
STRUCTURED = {"type": "object", "additionalProperties": True}


def plural(kind):
    return {"Company": "Companies"}.get(kind, kind + "s")


def matches(value, arguments):
    for key, wanted in arguments.items():
        if key in ("pageSize", "cursor"):
            continue
        if key == "tag" and wanted not in value["tags"]:
            return False
        if key == "from" and value["start"] < wanted:
            return False
        if key == "to" and value["end"] > wanted:
            return False
        if key in value and key != "from" and value[key] != wanted:
            return False
    return True


def lister(kind):
    def run(arguments):
        found = [row for row in DATA[kind] if matches(row, arguments)]
        if kind in AS_TEXT:
            return found
        size = min(arguments.get("pageSize", 20), MOST)
        cursor = arguments.get("cursor", "c0")
        if not cursor[1:].isdigit():
            raise Refused(f"Invalid cursor: {cursor}")
        first = int(cursor[1:])
        result = {"data": found[first:first + size], "hasMore":
                  first + size < len(found)}
        if result["hasMore"]:
            result["nextCursor"] = f"c{first + size}"
        return result
    return run


def find(kind, wanted):
    for value in DATA[kind]:
        if value["id"] == wanted:
            return value
    raise Refused(f"{kind} not found: {wanted}")


def creator(kind):
    def run(arguments):
        value = {"id": f"{PREFIX[kind]}_{len(DATA[kind]) + 1}"}
        if kind == "Task":
            value.update(status="todo", priority="normal", assignee=None,
                         dueDate=None, estimateHours=None)
        if kind == "Ticket":
            value.update(status="open", priority=3)
        for key in CREATE[kind]:
            if key.rstrip("?") in arguments:
                value[key.rstrip("?")] = arguments[key.rstrip("?")]
        if kind == "Deal":
            value.setdefault("stage", "lead")
        DATA[kind].append(value)
        return value
    return run


def updater(kind):
    def run(arguments):
        value = find(kind, arguments["id"])
        value.update(arguments["fields"])
        return value
    return run


def deleter(kind):
    def run(arguments):
        DATA[kind].remove(find(kind, arguments["id"]))
        return f"Deleted {kind} {arguments['id']}."
    return run


def add_kinds():
    for kind, rows in DATA.items():
        text = kind in AS_TEXT
        paging = {} if text else {
            "pageSize?": f"integer:At most {MOST}, default 20",
            "cursor?": "string:nextCursor of the page before"}
        OFFICE.tool(f"list{plural(kind)}", f"List {plural(kind).lower()}",
                    {**FILTERS.get(kind, {}), **paging}, lister(kind),
                    None if text else STRUCTURED)
        OFFICE.tool(f"get{kind}", f"Get one {kind.lower()} by its id",
                    {"id": "string"}, lambda a, kind=kind: find(kind, a["id"]),
                    None if text else STRUCTURED)
        if kind in CREATE:
            OFFICE.tool(f"create{kind}", f"Create a {kind.lower()}",
                        CREATE[kind], creator(kind),
                        None if text else STRUCTURED)
            OFFICE.tool(f"update{kind}", f"Change fields of a {kind.lower()}",
                        {"id": "string", "fields": "object"}, updater(kind),
                        None if text else STRUCTURED)
            OFFICE.tool(f"delete{kind}", f"Delete a {kind.lower()}",
                        {"id": "string"}, deleter(kind))
        assert isinstance(rows, list)


def search(arguments):
    text = arguments["query"].lower()
    return {"results": [
        {"type": kind, "id": row["id"]} for kind, rows in DATA.items()
        for row in rows if any(text in str(value).lower()
                               for value in row.values())][:50]}


def report(arguments):
    sums = {}
    for row in DATA["Deal"]:
        count, total = sums.get(row["stage"], (0, 0))
        sums[row["stage"]] = count + 1, total + row["amount"]["value"]
    lines = ["| Stage | Deals | Amount |", "| --- | ---: | ---: |"]
    lines += [f"| {stage} | {sums[stage][0]} | {sums[stage][1]:,} |"
              for stage in STAGES]
    return "# Pipeline\n\n" + "\n".join(lines) + "\n"


def sheet(arguments):
    if arguments["id"] != "sheet_1":
        raise Refused("Spreadsheet not found: " + arguments["id"])
    rows = [["month", "region", "units"]] + [
        [f"2025-{m:02}", region, number((m, region), 90)]
        for m in range(1, 13) for region in ("north", "south")]
    first, _, last = arguments.get("range", "A1:C25").partition(":")
    return {"range": arguments.get("range", "A1:C25"),
            "values": rows[int(first[1:]) - 1:int(last[1:])]}


def export(arguments):
    rows = DATA[arguments["type"]]
    keys = [key for key in rows[0] if not isinstance(rows[0][key],
                                                     (list, dict))]
    return "\n".join([",".join(keys)] + [",".join(
        "" if row[key] is None else str(row[key]) for key in keys)
        for row in rows]) + "\n"


def send(arguments):
    if "@" not in arguments["to"][0]:
        raise Refused("Invalid recipient: " + arguments["to"][0])
    return {"id": "msg_61", "status": "queued",
            "recipients": len(arguments["to"])}


def free(arguments):
    busy = {row["start"][11:13] for row in DATA["Event"]
            if row["start"].startswith(arguments["date"])
            and arguments["person"] in row["attendees"]}
    return {"date": arguments["date"], "freeHours": [
        hour for hour in range(8, 17) if f"{hour:02}" not in busy]}


def add_others():
    OFFICE.tool("searchEverything", "Search all records for a text",
                {"query": "string"}, search, STRUCTURED)
    OFFICE.tool("getPipelineReport", "The pipeline as a Markdown table", {},
                report)
    OFFICE.tool("readSpreadsheet", "Read the cells of a spreadsheet",
                {"id": "string", "range?": "string:such as A1:C10"}, sheet,
                STRUCTURED)
    OFFICE.tool("exportCsv", "Export records as CSV text",
                {"type": "Company|Contact|Deal|Task|Ticket|Product"}, export)
    OFFICE.tool("sendMail", "Send a mail", {"to": "string[]", "subject":
                "string", "body": "string", "cc?": "string[]"}, send,
                STRUCTURED)
    OFFICE.tool("findFreeHours", "Free hours of a person on a day",
                {"person": "string", "date": "string"}, free, STRUCTURED)
    OFFICE.tool("convertCurrency", "Convert an amount (fixed rates)",
                {"amount": "number", "from": "EUR|USD|NOK",
                 "to": "EUR|USD|NOK"}, lambda a: str(round(
                     a["amount"] * {"EUR": 1, "USD": 0.9, "NOK": 0.085}[
                         a["from"]] / {"EUR": 1, "USD": 0.9, "NOK": 0.085}[
                             a["to"]], 2)))
    OFFICE.tool("getDocumentText", "The text of a document", {"id": "string"},
                lambda a: f"# {find('Document', a['id'])['title']}\n\n"
                "Agreed: ship on Friday.\n")
    OFFICE.tool("completeTask", "Mark a task as done", {"id": "string"},
                lambda a: (find("Task", a["id"]).update(status="done"),
                           f"Task {a['id']} is done.")[1])
    OFFICE.tool("markAsRead", "Mark messages as read", {"ids": "string[]"},
                lambda a: (
                    [find("Message", i).update(unread=False)
                     for i in a["ids"]], {"updated": len(a["ids"])})[1],
                STRUCTURED)


add_kinds()
add_others()

if __name__ == "__main__":
    OFFICE.run()
