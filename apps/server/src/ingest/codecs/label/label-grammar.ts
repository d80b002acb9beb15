/** One element of a protocol label. */
export type LabelToken =
  | { kind: 'head' | 'separator' | 'tail'; bytes: Buffer }
  /** `width` characters, or up to the next literal. */
  | { kind: 'data'; width: number | null }

export type ParsedLabel = { ok: true; tokens: LabelToken[] } | { ok: false; detail: string }

const ELEMENT = /\[(?:([HST]):([\s\S]*?)|D(\?|\d{1,3}))\](?=\s*(?:,\s*)?(?:\[|$))/y
const BETWEEN = /\s*,?\s*/y
const BYTES = /^0x[0-9a-f]{2}(?:[ ,]*(?:0x)?[0-9a-f]{2})*$/i
const MOST = 400
const KINDS = { H: 'head', S: 'separator', T: 'tail' } as const

/**
 * Reads the protocol label of the TLINK family, `[H:#],[D?],[S:,],[D?],[T:#]`: H head, D? a data field, S separator,
 * T tail. A data field of n characters is `Dn`. What H, S and T name is text (with \r \n \t \xHH), or bytes as `0x68`,
 * `0x0D0A`.
 */
export function parseLabel(label: string): ParsedLabel {
  const text = label.trim()
  const tokens: LabelToken[] = []
  let at = 0
  while (at < text.length) {
    if (tokens.length >= MOST) return { ok: false, detail: `more than ${MOST} elements` }
    ELEMENT.lastIndex = at
    const match = ELEMENT.exec(text)
    if (!match) return { ok: false, detail: `no element at character ${at + 1}` }
    const [all, kind, literal = '', width] = match
    if (kind) {
      const bytes = literalBytes(literal)
      if (bytes.length === 0) return { ok: false, detail: `an empty ${KINDS[kind as 'H']} at character ${at + 1}` }
      tokens.push({ kind: KINDS[kind as 'H'], bytes })
    } else tokens.push({ kind: 'data', width: width === '?' ? null : Number(width) })
    at += all.length
    BETWEEN.lastIndex = at
    at += BETWEEN.exec(text)?.[0].length ?? 0
  }
  const problem = orderProblem(tokens)
  return problem ? { ok: false, detail: problem } : { ok: true, tokens }
}

function orderProblem(tokens: readonly LabelToken[]): string | null {
  if (!tokens.some(token => token.kind === 'data')) return 'no data field'
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    const next = tokens[i + 1]
    if (token.kind === 'head' && i !== 0) return 'the head does not come first'
    if (token.kind === 'tail' && next) return 'the tail does not come last'
    if (token.kind === 'data' && token.width === 0) return 'a data field of no characters'
    if (token.kind === 'data' && token.width === null && next?.kind === 'data')
      return 'two data fields with nothing between them'
  }
  return null
}

function literalBytes(literal: string): Buffer {
  if (BYTES.test(literal)) return Buffer.from(literal.replaceAll(/0x|[ ,]/gi, ''), 'hex')
  const parts: Buffer[] = []
  const escaped = /\\(r|n|t|0|\\|x[0-9a-fA-F]{2})/g
  let from = 0
  for (const match of literal.matchAll(escaped)) {
    parts.push(Buffer.from(literal.slice(from, match.index)))
    const code = match[1]!
    const known = { r: 13, n: 10, t: 9, '0': 0, '\\': 92 }[code]
    parts.push(Buffer.from([known ?? Number.parseInt(code.slice(1), 16)]))
    from = match.index + match[0].length
  }
  parts.push(Buffer.from(literal.slice(from)))
  return Buffer.concat(parts)
}
