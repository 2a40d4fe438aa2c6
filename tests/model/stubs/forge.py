"""A forge like the large ones: repositories, issues, pull requests, users.
Lists have pages. Some answers are structured, some are JSON as text."""
import stub
from stub import Refused, day, number, pick

USERS = ["amara", "boris", "chen", "dalia", "emil", "fatou", "goran", "hana",
         "ines", "jonas", "kofi", "lena"]
CITIES = ["Oslo", "Accra", "Turin", "Lima"]
LANGUAGES = ["Go", "Python", "TypeScript", "Rust"]
LABELS = ["bug", "enhancement", "docs", "performance", "security",
          "good first issue"]
REPOS = {"acme/api": 64, "acme/website": 37, "acme/mobile": 21,
         "acme/docs": 12, "acme/infra": 18, "acme/billing": 26,
         "globex/reactor": 9}
VERBS = ["Crash in", "Slow", "Support for", "Wrong text in", "Timeout of",
         "Clean up", "Document"]
NOUNS = ["login", "export", "search", "upload", "webhooks", "dark mode",
         "pagination", "cache", "invoices"]
PAGE = {"page?": "integer:Page number (starts at 1)",
        "perPage?": "integer:Results per page (default 30, max 100)"}
PLACE = {"owner": "string:Repository owner", "repo": "string:Repository name"}


def make_issue(repo, n):
    key = repo, n
    state = "closed" if number((key, "s"), 5) < 2 else "open"
    labels = sorted({pick((key, "l", i), LABELS)
                     for i in range(number((key, "ln"), 3))})
    return {"number": n, "title": f"{pick((key, 'v'), VERBS)} "
            f"{pick((key, 'n'), NOUNS)}", "state": state,
            "user": {"login": pick((key, "u"), USERS)},
            "assignee": {"login": pick((key, "a"), USERS)}
            if number((key, "an"), 3) else None,
            "labels": [{"name": label} for label in labels],
            "comments": number((key, "c"), 23) + (40 if n == 17 else 0),
            "milestone": {"title": pick((key, "ms"), ["1.0", "1.1", "2.0"])},
            "created_at": day((key, "t")) + "T08:00:00Z",
            "body": f"Seen in {repo} since {day((key, 'b'))}."}


def make_pull(repo, n):
    key = repo, "pull", n
    state = pick((key, "s"), ["open", "closed", "closed"])
    return {"number": 500 + n, "title": f"{pick((key, 'v'), VERBS)} "
            f"{pick((key, 'n'), NOUNS)}", "state": state,
            "merged": state == "closed" and number((key, "m"), 4) > 0,
            "draft": number((key, "d"), 5) == 0,
            "user": {"login": pick((key, "u"), USERS)},
            "additions": number((key, "+"), 900),
            "deletions": number((key, "-"), 400),
            "changed_files": 1 + number((key, "f"), 14),
            "requested_reviewers": [{"login": pick((key, "r"), USERS)}],
            "head": {"ref": f"feature-{n}"}, "base": {"ref": "main"},
            "created_at": day((key, "t")) + "T10:00:00Z"}


def make_commit(repo, n):
    key = repo, "commit", n
    return {"sha": f"{stub.zlib.crc32(repr(key).encode()):08x}",
            "commit": {"message": f"{pick(key, VERBS)} {pick(key, NOUNS)}",
                       "author": {"name": pick((key, "u"), USERS),
                                  "date": day((key, "t")) + "T12:00:00Z"}},
            "stats": {"additions": number((key, "+"), 300),
                      "deletions": number((key, "-"), 200)}}


def make_run(repo, n):
    key = repo, "run", n
    return {"id": 9000 + n, "name": pick((key, "n"), ["ci", "lint", "deploy"]),
            "status": "completed",
            "conclusion": pick((key, "c"), ["success", "success", "failure"]),
            "run_seconds": 20 + number((key, "s"), 600),
            "head_branch": pick((key, "b"), ["main", "feature-3"])}


def make_release(repo, n):
    return {"id": 700 + n, "tag_name": f"v1.{n}.0", "name": f"Release 1.{n}",
            "draft": False, "prerelease": n % 4 == 3,
            "downloads": number((repo, "release", n), 5000),
            "published_at": f"2025-{n + 1:02}-15T00:00:00Z"}


def make_repo(full):
    owner, name = full.split("/")
    key = full, "repo"
    return {"name": name, "full_name": full, "owner": {"login": owner},
            "stargazers_count": number((key, "s"), 4000),
            "forks_count": number((key, "f"), 300),
            "language": pick((key, "l"), LANGUAGES), "private":
            name in ("billing", "infra"), "default_branch": "main",
            "open_issues_count": sum(i["state"] == "open"
                                     for i in DATA["issue"][full]),
            "description": f"The {name} of {owner}"}


def rows(make, count):
    return {repo: [make(repo, n) for n in range(1, count(repo) + 1)]
            for repo in REPOS}


def of_each(values):
    return {repo: [dict(value) for value in values] for repo in REPOS}


DATA = {
    "issue": rows(make_issue, lambda repo: REPOS[repo]),
    "pull_request": rows(make_pull, lambda repo: REPOS[repo] // 2),
    "commit": rows(make_commit, lambda repo: REPOS[repo] * 2),
    "workflow_run": rows(make_run, lambda repo: 25),
    "release": rows(make_release, lambda repo: 8),
    "branch": of_each([{"name": name, "protected": name == "main"}
                       for name in ("main", "develop", "feature-3")]),
    "label": of_each([{"name": name, "color": f"{number(name, 1 << 24):06x}"}
                      for name in LABELS]),
    "milestone": of_each([{"number": i + 1, "title": title, "state": "open"}
                          for i, title in enumerate(["1.0", "1.1", "2.0"])]),
    "tag": of_each([{"name": f"v1.{n}.0"} for n in range(1, 9)]),
    "webhook": of_each([{"id": 1, "url": "https://hooks.example/a",
                         "active": True}]),
    "environment": of_each([{"name": "production"}, {"name": "staging"}]),
    "collaborator": {repo: [{"login": user, "role": pick(
        (repo, user), ["read", "write", "admin"])} for user in USERS
        if number((repo, user, "in"), 2)] for repo in REPOS},
    "deployment": of_each([{"id": 31, "environment": "production",
                            "ref": "main"}]),
    "discussion": of_each([{"number": 1, "title": "Roadmap",
                            "comments": 14}]),
    "secret_alert": of_each([]), "project": of_each([
        {"number": 1, "title": "Board", "closed": False}]),
    "package": of_each([{"name": "client", "version": "3.2.1"}]),
    "autolink": of_each([]),
}
# How each kind is listed: structured {"total_count", KIND plural}, or text.
STRUCTURED = {"workflow_run", "release", "milestone", "project", "package",
              "environment", "deployment"}
KEYS = {"issue": "number", "pull_request": "number", "commit": "sha",
        "workflow_run": "id", "release": "id", "branch": "name",
        "label": "name", "milestone": "number", "tag": "name",
        "webhook": "id", "environment": "name", "collaborator": "login",
        "deployment": "id", "discussion": "number", "secret_alert": "number",
        "project": "number", "package": "name", "autolink": "id"}
ARGUMENT = {"issue": "issue_number", "pull_request": "pullNumber",
            "commit": "sha", "workflow_run": "run_id", "release": "release_id",
            "collaborator": "username"}
FILTERS = {"issue": {"state?": "open|closed|all", "labels?": "string[]",
                     "assignee?": "string", "sort?": "created|comments",
                     "direction?": "asc|desc"},
           "pull_request": {"state?": "open|closed|all", "head?": "string",
                            "base?": "string"},
           "commit": {"sha?": "string:Branch or SHA", "author?": "string"},
           "workflow_run": {"branch?": "string", "status?":
                            "success|failure|completed"}}
CREATE = {"issue": {"title": "string", "body?": "string",
                    "labels?": "string[]", "assignees?": "string[]"},
          "pull_request": {"title": "string", "head": "string",
                           "base": "string", "body?": "string",
                           "draft?": "boolean"},
          "release": {"tag_name": "string", "name?": "string"},
          "branch": {"branch": "string", "from_branch?": "string"},
          "label": {"name": "string", "color": "string"},
          "milestone": {"title": "string", "due_on?": "string"},
          "webhook": {"url": "string", "events?": "string[]"}}
FORGE = stub.Stub("forge")


def plural(kind):
    return kind + ("es" if kind.endswith("ch") else "s")


def words(kind):
    return kind.replace("_", " ")


def place(arguments, kind):
    full = f"{arguments['owner']}/{arguments['repo']}"
    if full not in DATA[kind]:
        raise Refused(f"failed to list {plural(words(kind))}: 404 Not Found: "
                      f"repository {full}")
    return DATA[kind][full]


def page(values, arguments):
    size = min(arguments.get("perPage", 30), 100)
    first = (arguments.get("page", 1) - 1) * size
    return values[first:first + size]


def matches(kind, value, arguments):
    state = arguments.get("state", "open" if kind in (
        "issue", "pull_request") else "all")
    if state != "all" and "state" in value and value["state"] != state:
        return False
    if "labels" in arguments and not set(arguments["labels"]) <= {
            row["name"] for row in value["labels"]}:
        return False
    if "assignee" in arguments and (value.get("assignee") or {}).get(
            "login") != arguments["assignee"]:
        return False
    if "author" in arguments and value["commit"]["author"]["name"] != \
            arguments["author"]:
        return False
    if "branch" in arguments and value["head_branch"] != arguments["branch"]:
        return False
    return arguments.get("status", "completed") in (
        "completed", value.get("conclusion"))


def lister(kind):
    def run(arguments):
        found = [value for value in place(arguments, kind)
                 if matches(kind, value, arguments)]
        if kind == "issue":
            field = {"comments": "comments"}.get(arguments.get("sort"),
                                                 "created_at")
            found.sort(key=lambda row: row[field], reverse=arguments.get(
                "direction", "desc") == "desc")
        if kind in STRUCTURED:
            return {"total_count": len(found),
                    plural(kind): page(found, arguments)}
        return page(found, arguments)
    return run


def argument(kind):
    return ARGUMENT.get(kind, f"{kind}_{KEYS[kind]}")


def find(kind, arguments):
    wanted = arguments[argument(kind)]
    for value in place(arguments, kind):
        if value[KEYS[kind]] == wanted:
            return value
    raise Refused(f"failed to get {words(kind)}: 404 Not Found")


def creator(kind):
    def run(arguments):
        values = place(arguments, kind)
        value = {key: arguments[key.rstrip("?")] for key in CREATE[kind]
                 if key.rstrip("?") in arguments}
        if kind == "issue":
            value = {**make_issue("new", 1), "title": arguments["title"],
                     "body": arguments.get("body", ""), "comments": 0,
                     "labels": [{"name": name} for name in
                                arguments.get("labels", [])],
                     "state": "open"}
        if kind == "branch":
            value = {"name": arguments["branch"], "protected": False}
        if KEYS[kind] in ("number", "id"):
            value[KEYS[kind]] = 1 + max(
                [row[KEYS[kind]] for row in values], default=0)
        values.append(value)
        return [value] if kind == "label" else value
    return run


def updater(kind):
    def run(arguments):
        value = find(kind, arguments)
        for key in ("title", "body", "state", "name", "color"):
            if key in arguments:
                value[key] = arguments[key]
        if "labels" in arguments:
            value["labels"] = [{"name": name} for name in arguments["labels"]]
        return value
    return run


def deleter(kind):
    def run(arguments):
        place(arguments, kind).remove(find(kind, arguments))
        return f"{words(kind)} {arguments[argument(kind)]} deleted"
    return run


def add_kinds():
    structured = {"type": "object", "additionalProperties": True}
    for kind, key in KEYS.items():
        kind_of_key = "string" if key in ("name", "sha", "login") else \
            "integer"
        one = {**PLACE, argument(kind): kind_of_key}
        FORGE.tool(f"list_{plural(kind)}", f"List {plural(words(kind))} in a "
                   "repository", {**PLACE, **FILTERS.get(kind, {}), **PAGE},
                   lister(kind), structured if kind in STRUCTURED else None)
        FORGE.tool(f"get_{kind}", f"Get details of a specific {words(kind)} "
                   "in a repository", one,
                   lambda a, kind=kind: find(kind, a),
                   structured if kind in STRUCTURED else None)
        if kind not in CREATE:
            continue
        FORGE.tool(f"create_{kind}", f"Create a new {words(kind)} in a "
                   "repository", {**PLACE, **CREATE[kind]}, creator(kind))
        FORGE.tool(f"update_{kind}", f"Update an existing {words(kind)}",
                   {**one, "title?": "string", "body?": "string", "name?":
                    "string", "color?": "string", "state?": "open|closed",
                    "labels?": "string[]"}
                   if kind != "label" else {**one, "color?": "string"},
                   updater(kind))
        FORGE.tool(f"delete_{kind}", f"Delete a {words(kind)}", one,
                   deleter(kind))


def comments_of(arguments):
    issue = find("issue", arguments)
    full = f"{arguments['owner']}/{arguments['repo']}"
    values = [{"id": n, "user": {"login": pick((full, issue["number"], n),
                                               USERS)},
               "body": f"Comment {n}", "created_at": "2025-06-01T00:00:00Z"}
              for n in range(1, issue["comments"] + 1)]
    return page(values, arguments)


def comment(arguments):
    issue = find("issue", arguments)
    issue["comments"] += 1
    return {"id": issue["comments"], "body": arguments["body"],
            "user": {"login": "me"}}


def search(kind):
    def run(arguments):
        terms = arguments["query"].split()
        found = []
        for full, values in DATA[kind].items():
            for value in values:
                text = value["title"].lower()
                names = {row["name"] for row in value.get("labels", [])}
                if all(
                    term == f"repo:{full}" if term.startswith("repo:") else
                    full.startswith(term[4:] + "/") if term[:4] == "org:" else
                    value["state"] == term[3:] if term[:3] == "is:" and
                    term[3:] in ("open", "closed") else
                    term[3:] in ("issue", "pr") if term[:3] == "is:" else
                    term[6:].strip('"') in names if term[:6] == "label:" else
                    value["user"]["login"] == term[7:]
                    if term[:7] == "author:" else
                    value["state"] == term[6:] if term[:6] == "state:" else
                    term.lower() in text for term in terms
                ):
                    found.append({**value, "repository": full})
        return {"total_count": len(found), "incomplete_results": False,
                "items": page(found, arguments)}
    return run


def user(login):
    if login not in USERS:
        raise Refused(f"failed to get user: 404 Not Found: {login}")
    return {"login": login, "name": login.title(), "location": pick(
        login, CITIES), "followers": number((login, "f"), 900),
        "company": pick((login, "c"), ["Acme", "Globex", "Initech"])}


def files(arguments):
    place(arguments, "issue")
    text = {"README.md": f"# {arguments['repo']}\n\nRun `make`.\n",
            "package.json": '{"name": "%s", "version": "2.%d.0"}\n' % (
                arguments["repo"], number(arguments["repo"], 9)),
            "src/main.py": "print('hello')\n"}
    if arguments["path"] not in text:
        raise Refused("failed to get file contents: 404 Not Found: "
                      + arguments["path"])
    return text[arguments["path"]]


def merge(arguments):
    pull = find("pull_request", arguments)
    if pull["state"] != "open":
        raise Refused("failed to merge: 405 Pull Request is not mergeable")
    pull["state"], pull["merged"] = "closed", True
    return {"merged": True, "message": "Pull Request successfully merged"}


def add_others():
    structured = {"type": "object", "additionalProperties": True}
    issue = {**PLACE, "issue_number": "integer"}
    pull = {**PLACE, "pullNumber": "integer"}
    text = {"query": "string:Search using GitHub-like search syntax, such as "
            "'repo:acme/api is:open label:bug'"}
    FORGE.tool("get_me", "Get the authenticated user", {},
               lambda a: user("hana"))
    FORGE.tool("get_user", "Get a user by login", {"username": "string"},
               lambda a: user(a["username"]), structured)
    FORGE.tool("list_users", "List the users of the forge", PAGE,
               lambda a: page([user(login) for login in USERS], a))
    FORGE.tool("search_users", "Find users by login or location",
               {"query": "string", **PAGE}, lambda a: {"items": page(
                   [user(login) for login in USERS if a["query"].lower() in
                    (login + user(login)["location"]).lower()], a)})
    FORGE.tool("get_repository", "Get a repository", PLACE, lambda a: (
        place(a, "issue"), make_repo(f"{a['owner']}/{a['repo']}"))[1],
        structured)
    FORGE.tool("list_repositories", "List the repositories of an owner",
               {"owner": "string", **PAGE}, lambda a: page(
                   [make_repo(full) for full in REPOS
                    if full.startswith(a["owner"] + "/")], a))
    FORGE.tool("search_repositories", "Search for repositories",
               {"query": "string", **PAGE}, lambda a: {"items": page(
                   [make_repo(full) for full in REPOS
                    if a["query"].lower() in full], a)}, structured)
    FORGE.tool("search_issues", "Search for issues in repositories",
               {**text, **PAGE}, search("issue"), structured)
    FORGE.tool("search_pull_requests", "Search for pull requests",
               {**text, **PAGE}, search("pull_request"), structured)
    FORGE.tool("get_issue_comments", "Get comments of an issue",
               {**issue, **PAGE}, comments_of)
    FORGE.tool("add_issue_comment", "Add a comment to an issue",
               {**issue, "body": "string"}, comment)
    FORGE.tool("get_file_contents", "Get the contents of a file",
               {**PLACE, "path": "string", "ref?": "string"}, files)
    FORGE.tool("merge_pull_request", "Merge a pull request",
               {**pull, "merge_method?": "merge|squash|rebase"}, merge)
    FORGE.tool("get_pull_request_files", "List the files a pull request "
               "changes", {**pull, **PAGE}, lambda a: page(
                   [{"filename": f"src/file{i}.py", "status": "modified"}
                    for i in range(find("pull_request", a)["changed_files"])],
                   a))
    FORGE.tool("get_pull_request_diff", "Get the diff of a pull request",
               pull, lambda a: "diff --git a/src/file0.py b/src/file0.py\n"
               f"@@ -1 +1 @@\n-old {find('pull_request', a)['number']}\n"
               "+new\n")
    FORGE.tool("list_languages", "List the languages of a repository", PLACE,
               lambda a: {pick((a["repo"], i), LANGUAGES): 1000 * (i + 1)
                          for i in range(3)})


add_kinds()
add_others()
for _name in ("star_repository", "unstar_repository", "fork_repository",
              "rerun_workflow", "cancel_workflow_run", "lock_issue",
              "unlock_issue", "request_review", "approve_pull_request",
              "update_pull_request_branch", "transfer_issue", "pin_issue"):
    FORGE.tool(_name, _name.replace("_", " ").capitalize(),
               {**PLACE, "number?": "integer"},
               lambda a, name=_name: f"{name}: done")

if __name__ == "__main__":
    FORGE.run()
