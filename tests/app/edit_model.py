# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What `sluice edit` does to a graph, written as simply as can be: lists are searched, undo keeps
copies. All values are floats of one shape but for those of one kind of constant, so that edges fit
or do not."""
import copy
import random
import re

# Op: its inputs, its outputs.
OPS = {"Placeholder": (0, 1), "Neg": (1, 1), "Tanh": (1, 1), "Add": (2, 1), "Maximum": (2, 1),
       "SoftmaxCrossEntropyWithLogits": (2, 2), "AddN": (None, 1)}
FLOAT = "T=DT_FLOAT"
NODE_TEXT = re.compile(r"^node \{\n(.*?)^\}\n", re.M | re.S)
FIELD = re.compile(r'^  (name|op|input|device): "([^"]*)"', re.M)
TAG = re.compile(r'key: "_tag"\s+value \{\s+s: "([^"]*)"')  # however it is broken into lines
BESIDE = re.compile(r's: "loc:@([^"]*)"')
NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")


def graph_state(text):
    """Of each node of a graph's text what Model.state() has."""
    nodes = []
    for body in NODE_TEXT.findall(text):
        fields = FIELD.findall(body)
        one = dict(fields)
        inputs = [value for key, value in fields if key == "input"]
        tag = TAG.search(body)
        nodes.append((one["name"], one["op"], one.get("device", ""), tag and tag.group(1),
                      tuple(i for i in inputs if not i.startswith("^")),
                      tuple(sorted(i[1:] for i in inputs if i.startswith("^"))),
                      tuple(sorted(BESIDE.findall(body)))))
    return nodes


class Refused(Exception):
    pass


class Node:
    def __init__(self, name, op, inputs, outputs, dtype="float"):
        self.name, self.op, self.inputs, self.outputs = name, op, inputs, outputs
        self.dtype = dtype
        self.controls, self.beside, self.tag, self.device = [], [], None, ""

    def state(self, node_of):
        inputs = [f"{s.name}:{p}" if p else s.name
                  for s, p in (i or (node_of, 0) for i in self.inputs)]
        return (self.name, self.op, self.device, self.tag, tuple(inputs),
                tuple(sorted(c.name for c in self.controls)),
                tuple(sorted(b.name for b in self.beside)))


class Open:
    name = ""


class Model:
    def __init__(self):
        self.nodes, self.done, self.undone = [], [], []

    # ---- looking ----

    def state(self):
        return [node.state(Open) for node in self.nodes]

    def find(self, name):
        for node in self.nodes:
            if node.name == name:
                return node
        raise Refused("no node " + name)

    def edge(self, text):
        name, _, port = text.partition(":")
        node, port = self.find(name), int(port or 0)
        if port >= node.outputs:
            raise Refused("no output " + text)
        return node, port

    def below(self, name):
        found = [n for n in self.nodes if n.name == name or n.name.startswith(name + "/")]
        if not found:
            raise Refused("nothing named " + name)
        return found

    def check(self):
        """No cycles, floats only, one N a sum."""
        for node in self.nodes:
            for source in node.inputs:
                if source and node.dtype == "float" and source[0].dtype != "float":
                    raise Refused("dtype")
        waiting, seen = {}, set()
        for node in self.nodes:
            waiting[node.name] = {s[0].name for s in node.inputs if s}
            waiting[node.name] |= {c.name for c in node.controls}
        while waiting:
            ready = [name for name, befores in waiting.items() if befores <= seen]
            if not ready:
                raise Refused("cycle")
            for name in ready:
                seen.add(name)
                del waiting[name]

    def new_name(self, name, but=()):
        if not NAME.fullmatch(name):
            raise Refused("name")
        if any(node.name == name and node not in but for node in self.nodes):
            raise Refused("taken " + name)
        return name

    # ---- commands ----

    def do(self, line):
        """Raises Refused, and nothing has changed then."""
        words = line.split()
        name, words = words[0], [word for word in words[1:] if word != FLOAT]
        if name in ("undo", "redo"):
            return self.move(name, int(words[0]) if words else 1)
        before = copy.deepcopy(self.nodes)
        try:
            getattr(self, "do_" + name)(*words)
            self.check()
        except (Refused, TypeError):
            self.nodes = before
            raise Refused(line) from None
        self.done.append(before)
        self.undone = []
        return None

    def move(self, name, n):
        here, there = (self.done, self.undone) if name == "undo" else (self.undone, self.done)
        if n > len(here):
            raise Refused("nothing to " + name)
        for _ in range(n):
            there.append(self.nodes)
            self.nodes = here.pop()

    def do_add(self, op, name, *rest):
        inputs = [word for word in rest if "=" not in word]
        if op == "Const":
            self.nodes.append(Node(self.new_name(name), op, [], 1, "int"))
            return
        if op not in OPS:
            raise Refused(op)
        n, outputs = OPS[op]
        n = len(inputs) if n is None else n
        if len(inputs) > n or (op == "AddN" and n == 0):
            raise Refused("inputs")
        edges = [None if text == '""' else self.edge(text) for text in inputs]
        node = Node(self.new_name(name), op, edges + [None] * (n - len(edges)), outputs)
        self.nodes.append(node)

    def port(self, text):
        name, _, k = text.partition(":")
        return self.find(name), int(k)

    def do_connect(self, edge, to):
        (node, k), source = self.port(to), self.edge(edge)
        if k == len(node.inputs) and node.op == "AddN":
            node.inputs.append(None)
        if k >= len(node.inputs):
            raise Refused("input")
        node.inputs[k] = source

    def do_disconnect(self, to):
        node, k = self.port(to)
        if k >= len(node.inputs) or node.inputs[k] is None:
            raise Refused("open")
        node.inputs[k] = None

    def do_control(self, before, name):
        before, node = self.find(before), self.find(name)
        if before in node.controls:
            raise Refused("there")
        node.controls.append(before)

    def do_uncontrol(self, before, name):
        before, node = self.find(before), self.find(name)
        if before not in node.controls:
            raise Refused("not there")
        node.controls.remove(before)

    def do_set(self, name, value):
        node, (key, _, text) = self.find(name), value.partition("=")
        if key != "_tag":
            raise Refused(key)
        node.tag = text.strip('"')

    def do_device(self, name, device):
        self.find(name).device = device

    def do_colocate(self, name, beside):
        self.find(name).beside = [self.find(beside)]

    def give(self, nodes, old, new):
        names = [(new + n.name[len(old):]).lstrip("/") for n in nodes]
        for node, name in zip(nodes, names):
            self.new_name(name, nodes)
        for node, name in zip(nodes, names):
            node.name = name

    def do_rename(self, old, new):
        self.give(self.below(old), old, new)

    def do_group(self, new, *names):
        if not names:
            raise Refused("nothing")
        for name in names:
            nodes = self.below(name)
            if new == name or new.startswith(name + "/"):
                raise Refused("into itself")
            self.give(nodes, name, new + "/" + name.rsplit("/", 1)[-1])

    def do_ungroup(self, scope):
        nodes = self.below(scope)
        if any(node.name == scope for node in nodes):
            raise Refused("a node")
        self.give(nodes, scope, scope.rpartition("/")[0])

    def do_delete(self, name):
        gone = self.below(name)

        def instead(source):
            while source and source[0] in gone:
                node = source[0]
                source = node.inputs[0] if len(node.inputs) == 1 and node.outputs == 1 else None
            return source
        self.nodes = [node for node in self.nodes if node not in gone]
        for node in self.nodes:
            node.inputs = [instead(source) for source in node.inputs]
            node.controls = [c for c in node.controls if c not in gone]
            node.beside = [b for b in node.beside if b not in gone]

    def do_duplicate(self, name, new):
        nodes = self.below(name)
        if new == name or new.startswith(name + "/"):
            raise Refused("into itself")
        copies = {}
        for node in nodes:
            copy_name = self.new_name(new + node.name[len(name):])
            copies[node] = Node(copy_name, node.op, [], node.outputs, node.dtype)
            self.nodes.append(copies[node])
        for node, made in copies.items():
            made.inputs = [s and (copies.get(s[0], s[0]), s[1]) for s in node.inputs]
            made.controls = [copies.get(c, c) for c in node.controls]
            made.beside = [copies.get(b, b) for b in node.beside]
            made.tag, made.device = node.tag, node.device

    def do_insert(self, op, name, edge):
        source = self.edge(edge)
        if op not in OPS or OPS[op] != (1, 1):
            raise Refused(op)
        node = Node(self.new_name(name), op, [source], 1)
        for reader in self.nodes:
            reader.inputs = [(node, 0) if s == source else s for s in reader.inputs]
        self.nodes.append(node)


class Generator:
    """Lines by lot; many of them wrong."""

    def __init__(self, seed):
        self.lot = random.Random(seed)
        self.model = Model()

    def any_name(self):
        if not self.model.nodes or self.lot.random() < 0.04:
            return "nowhere"
        name = self.lot.choice(self.model.nodes).name
        while "/" in name and self.lot.random() < 0.2:
            name = name.rsplit("/", 1)[0]
        return name

    def new_name(self):
        name = "abcdefgh"[self.lot.randrange(8)] + str(self.lot.randrange(30))
        if self.lot.random() < 0.4:
            name = "st"[self.lot.randrange(2)] + "/" + name
        return "s/" + name if self.lot.random() < 0.1 else name

    def any_edge(self):
        if not self.model.nodes or self.lot.random() < 0.04:
            return "nowhere:1"
        node = self.lot.choice(self.model.nodes)
        port = self.lot.randrange(node.outputs) if self.lot.random() < 0.95 else 2
        # What TensorFlow calls the loss has another shape.
        port = 1 if node.outputs == 2 else port
        return f"{node.name}:{port}" if port else node.name

    def any_input(self):
        node = self.lot.choice(self.model.nodes) if self.model.nodes else None
        if node is None:
            return "nowhere:0"
        n = len(node.inputs)
        return f"{node.name}:{self.lot.randrange(n + 1) if n else 0}"

    def add(self):
        op = self.lot.choice(list(OPS) + ["Const", "Nag"])
        if op == "Const":
            return f"add Const {self.new_name()} value=[1,2]"
        if op == "Placeholder":
            return f"add Placeholder {self.new_name()} dtype=DT_FLOAT shape=[2,3]"
        n = OPS.get(op, (1, 1))[0]
        n = self.lot.randrange(1, 4) if n is None else n
        n = max(0, n + self.lot.choice((0, 0, 0, 0, -1, 1)))
        inputs = [self.any_edge() if self.lot.random() < 0.9 else '""' for _ in range(n)]
        return " ".join(["add", op, self.new_name()] + inputs + [FLOAT])

    def line(self):
        any_name, lot = self.any_name, self.lot
        made = {
            "add": self.add,
            "connect": lambda: f"connect {self.any_edge()} {self.any_input()}",
            "disconnect": lambda: f"disconnect {self.any_input()}",
            "control": lambda: f"control {any_name()} {any_name()}",
            "uncontrol": lambda: f"uncontrol {any_name()} {any_name()}",
            "set": lambda: f'set {any_name()} {lot.choice(("_tag", "tag"))}="t{lot.randrange(9)}"',
            "device": lambda: f"device {any_name()} /device:CPU:{lot.randrange(3)}",
            "colocate": lambda: f"colocate {any_name()} {any_name()}",
            "rename": lambda: f"rename {any_name()} {self.new_name()}",
            "delete": lambda: f"delete {any_name()}",
            "duplicate": lambda: f"duplicate {any_name()} {self.new_name()}",
            "group": lambda: f"group {self.new_name()} {any_name()} {any_name()}",
            "ungroup": lambda: f"ungroup {any_name()}",
            "insert": lambda: f"insert {lot.choice(('Neg', 'Tanh', 'Add'))} {self.new_name()} "
                              f"{self.any_edge()} {FLOAT}",
            "undo": lambda: f"undo {lot.randrange(1, 4)}",
            "redo": lambda: f"redo {lot.randrange(1, 4)}",
        }
        kinds = list(made) + ["add"] * 8 + ["connect"] * 4
        return made[lot.choice(kinds)]()

    def script(self, n):
        """n lines; with each whether the model took it."""
        lines = []
        for _ in range(n):
            line = self.line()
            try:
                self.model.do(line)
                lines.append((line, True))
            except Refused:
                lines.append((line, False))
        return lines
