"""MathML to LaTeX (blocks.md 4.14)."""

from __future__ import annotations

from collections.abc import Callable

from transforms.blocks.names import names
from transforms.blocks.subtree import events
from transforms.html.tree import LexborNode

TEX_ENCODINGS = frozenset({"application/x-tex", "text/x-tex", "application/x-latex", "tex", "latex"})
ACCENTS = {
    "¯": "overline", "‾": "overline", "̄": "bar", "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "→": "vec", "⃗": "vec",
    "˙": "dot", ".": "dot", "¨": "ddot", "ˇ": "check", "⏞": "overbrace", "⏟": "underbrace", "_": "underline", "̲": "underline",
}  # fmt: skip
SYMBOLS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ϑ": "vartheta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "ς": "varsigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "ϕ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "∞": "infty", "∂": "partial", "∇": "nabla", "∑": "sum", "∏": "prod", "∫": "int",
    "∮": "oint", "±": "pm", "∓": "mp", "×": "times", "÷": "div", "⋅": "cdot", "·": "cdot", "∘": "circ", "≤": "leq", "≥": "geq",
    "≠": "neq", "≈": "approx", "≡": "equiv", "∼": "sim", "≅": "cong", "∝": "propto", "∈": "in", "∉": "notin", "∋": "ni",
    "⊂": "subset", "⊆": "subseteq", "⊃": "supset", "⊇": "supseteq", "∪": "cup", "∩": "cap", "∅": "emptyset", "∀": "forall",
    "∃": "exists", "¬": "neg", "∧": "wedge", "∨": "vee", "→": "to", "←": "leftarrow", "↔": "leftrightarrow", "⇒": "Rightarrow",
    "⇐": "Leftarrow", "⇔": "Leftrightarrow", "↦": "mapsto", "⟨": "langle", "⟩": "rangle", "⌊": "lfloor", "⌋": "rfloor",
    "⌈": "lceil", "⌉": "rceil", "∥": "parallel", "⊥": "perp", "⊕": "oplus", "⊗": "otimes", "…": "ldots", "⋯": "cdots",
    "⋮": "vdots", "⋱": "ddots", "′": "prime", "ℏ": "hbar", "ℓ": "ell", "ℝ": "mathbb{R}", "ℕ": "mathbb{N}", "ℤ": "mathbb{Z}",
    "ℚ": "mathbb{Q}", "ℂ": "mathbb{C}", "√": "surd", "∠": "angle", "△": "triangle", "†": "dagger", "‡": "ddagger",
}  # fmt: skip
# Function application, invisible times, separator and plus show nothing.
INVISIBLE = "\u2061\u2062\u2063\u2064"
_NO_INVISIBLE = {ord(character): None for character in INVISIBLE}
FUNCTIONS = frozenset(
    names("""sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln exp lim max min sup inf det dim ker gcd arg deg""")
)
ESCAPED = {"%": r"\%", "#": r"\#", "&": r"\&", "$": r"\$", "{": r"\{", "}": r"\}", "_": r"\_", "\\": r"\backslash"}
TOKENS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
NOT_SHOWN = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "none", "mprescripts"})


def math_latex(node: LexborNode) -> str | None:
    """The LaTeX of a `<math>`: its TeX annotation, else `alttext`, else its presentation; None when nothing can be recovered."""
    for annotation in node.css("annotation"):
        if (annotation.attributes.get("encoding") or "").strip().lower() in TEX_ENCODINGS:
            tex = " ".join(annotation.text().split())
            if tex:
                return tex
    alternative = " ".join((node.attributes.get("alttext") or "").split())
    return alternative or presentation_latex(node) or None


def presentation_latex(top: LexborNode) -> str:
    """LaTeX from a presentation tree. An element is written when its children are, with a stack of our own."""
    written: list[list[str]] = [[]]
    skipped: int | None = None
    for node, entering in events(top):
        tag = node.tag
        if skipped is not None:
            if node.mem_id == skipped:
                skipped = None
        elif tag in TOKENS or tag in NOT_SHOWN:
            if tag in TOKENS:
                written[-1].append(_token(tag, node.text()))
            if node.first_child is not None:
                skipped = node.mem_id
        elif tag == "-text":
            text = " ".join((node.text_content or "").split())
            if text:
                written[-1].append(_escaped(text))
        elif not node.is_element_node:
            continue
        elif node.first_child is None:
            written[-1].append(r"\," if tag == "mspace" else "")
        elif entering:
            written.append([])
        else:
            arguments = written.pop()
            written[-1].append(_element(tag or "", arguments))
    return _join(written[0])


def _token(tag: str, text: str) -> str:
    text = " ".join(text.translate(_NO_INVISIBLE).split())
    if not text:
        return ""
    if text in SYMBOLS:
        return "\\" + SYMBOLS[text]
    if tag in ("mtext", "ms"):
        return rf"\text{{{text}}}"
    if tag == "mi" and len(text) > 1 and text.isalpha():
        return "\\" + text if text in FUNCTIONS else rf"\mathrm{{{text}}}"
    return _escaped(text)


def _escaped(text: str) -> str:
    return "".join("\\" + SYMBOLS[c] + " " if c in SYMBOLS else ESCAPED.get(c, c) for c in text).strip()


def _join(parts: list[str]) -> str:
    """Concatenates, with a space where a command would run into a letter."""
    out = ""
    pieces: list[str] = []
    for part in parts:
        if not part:
            continue
        if _ends_in_command(out) and part[0].isalpha():
            pieces.append(" ")
        pieces.append(part)
        out = part
    return "".join(pieces)


def _ends_in_command(text: str) -> bool:
    name = text.rpartition("\\")[2] if "\\" in text else ""
    return name.isalpha()


def _group(text: str) -> str:
    """The text as one argument of `^` or `_`, or as their base."""
    return text if len(text) == 1 or (text.startswith("\\") and text[1:].isalpha()) else f"{{{text}}}"


def _over(base: str, above: str) -> str:
    if above in ACCENTS:
        return rf"\{ACCENTS[above]}{{{base}}}"
    if above.startswith("\\") and above[1:] in ("to", "wedge", "sim"):
        return {"to": r"\vec", "wedge": r"\hat", "sim": r"\tilde"}[above[1:]] + f"{{{base}}}"
    return f"{_group(base)}^{{{above}}}" if _takes_limits(base) else rf"\overset{{{above}}}{{{base}}}"


def _under(base: str, below: str) -> str:
    if below in ("_", "̲", "⏟"):
        return rf"\{ACCENTS[below]}{{{base}}}"
    return f"{_group(base)}_{{{below}}}" if _takes_limits(base) else rf"\underset{{{below}}}{{{base}}}"


def _takes_limits(base: str) -> bool:
    return base.startswith("\\") and base[1:] in {"sum", "prod", "int", "oint", "lim", "max", "min", "sup", "inf", "cup", "cap"}


# By element: how many arguments it has, and how they are written. Elements not named here write their children in a row.
FORMS: dict[str, tuple[int, Callable[..., str]]] = {
    "mfrac": (2, lambda over, under: rf"\frac{{{over}}}{{{under}}}"),
    "mroot": (2, lambda base, index: rf"\sqrt[{index}]{{{base}}}"),
    "msup": (2, lambda base, above: f"{_group(base)}^{{{above}}}"),
    "msub": (2, lambda base, below: f"{_group(base)}_{{{below}}}"),
    "msubsup": (3, lambda base, below, above: f"{_group(base)}_{{{below}}}^{{{above}}}"),
    "mover": (2, _over),
    "munder": (2, _under),
    "munderover": (3, lambda base, below, above: f"{_group(base)}_{{{below}}}^{{{above}}}"),
}
ROWS: dict[str, Callable[[list[str]], str]] = {
    "msqrt": lambda parts: rf"\sqrt{{{_join(parts)}}}",
    "mfenced": lambda parts: rf"\left({','.join(parts)}\right)",
    "mtable": lambda parts: r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}",
    "mtr": lambda parts: " & ".join(parts),
    # Of two versions of one formula the first is the presentation.
    "semantics": lambda parts: parts[0] if parts else "",
}


def _element(tag: str, arguments: list[str]) -> str:
    if tag in FORMS:
        count, write = FORMS[tag]
        padded = [*arguments[: count - 1], _join(arguments[count - 1 :])]
        return write(*padded, *[""] * (count - len(padded)))
    return ROWS.get(tag, _join)(arguments)
