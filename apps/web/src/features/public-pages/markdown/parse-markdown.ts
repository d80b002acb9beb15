/** The part of Markdown that our own documents use, as a tree; no HTML passes through. */
export type Block =
  | { kind: 'heading'; level: number; text: string; id: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'list'; ordered: boolean; items: string[] }
  | { kind: 'quote'; text: string }
  | { kind: 'table'; head: string[]; rows: string[][] }

export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link'; text: string; href: string }

/** @param prefix of the headings' ids, so that several documents can stand on one page */
export function parseMarkdown(source: string, prefix = ''): Block[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  const ids = new Map<string, number>()
  let at = 0
  const take = (test: (line: string) => boolean): string[] => {
    const taken: string[] = []
    while (at < lines.length && test(lines[at]!)) taken.push(lines[at++]!)
    return taken
  }
  while (at < lines.length) {
    const line = lines[at]!
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    if (line.trim() === '') at++
    else if (heading) {
      at++
      const text = heading[2]!.trim()
      blocks.push({ kind: 'heading', level: heading[1]!.length, text, id: idOf(text, prefix, ids) })
    } else if (line.startsWith('```')) {
      at++
      const text = take(each => !each.startsWith('```')).join('\n')
      at++
      blocks.push({ kind: 'code', language: line.slice(3).trim(), text })
    } else if (line.startsWith('|')) blocks.push(tableOf(take(each => each.startsWith('|'))))
    else if (isItem(line)) blocks.push(listOf(take(each => isItem(each) || /^\s+\S/.test(each))))
    else if (line.startsWith('>'))
      blocks.push({
        kind: 'quote',
        text: take(each => each.startsWith('>'))
          .map(each => each.replace(/^>\s?/, ''))
          .join(' '),
      })
    else blocks.push({ kind: 'paragraph', text: take(isPlain).join(' ') })
  }
  return blocks
}

const isItem = (line: string) => /^\s*(?:[-*]|\d+\.)\s+/.test(line)
const isPlain = (line: string) => line.trim() !== '' && !/^(#{1,6}\s|```|\||>)/.test(line) && !isItem(line)

function listOf(lines: string[]): Block {
  const items: string[] = []
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^\s*(?:[-*]|\d+\.)\s+/, ''))
    else items[items.length - 1] += ` ${line.trim()}`
  }
  return { kind: 'list', ordered: /^\s*\d/.test(lines[0]!), items }
}

function tableOf(lines: string[]): Block {
  const cells = (line: string) =>
    // A bar inside code or behind a backslash divides nothing.
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/)
      .map(cell => cell.trim().replaceAll('\\|', '|'))
  const rows = lines.filter(line => !/^\|[\s:|-]*-[\s:|-]*\|$/.test(line.trim())).map(cells)
  return { kind: 'table', head: rows[0] ?? [], rows: rows.slice(1) }
}

function idOf(text: string, prefix: string, ids: Map<string, number>): string {
  const base =
    prefix +
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
  const seen = ids.get(base) ?? 0
  ids.set(base, seen + 1)
  return seen === 0 ? base : `${base}-${seen}`
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)/g

/** Code, strong, emphasis and links inside a line. Only http(s), own paths and anchors become links. */
export function parseInline(text: string): Inline[] {
  const parts: Inline[] = []
  let at = 0
  for (const match of text.matchAll(INLINE)) {
    if (match.index > at) parts.push({ kind: 'text', text: text.slice(at, match.index) })
    const [whole, code, strong, emphasis, label, href] = match
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong })
    else if (emphasis !== undefined) parts.push({ kind: 'emphasis', text: emphasis })
    else if (/^(https?:\/\/|\/(?!\/)|#)/.test(href!)) parts.push({ kind: 'link', text: label!, href: href! })
    else parts.push({ kind: 'text', text: label! })
    at = match.index + whole.length
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) })
  return parts
}
