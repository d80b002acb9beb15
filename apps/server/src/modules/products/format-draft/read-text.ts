import { trimmedEnd } from '../../../lib/trimmed.ts'
import type { PastedFrame } from './draft-types.ts'
import words from './draft-words.json' with { type: 'json' }

const LABEL = new RegExp(words.frameLabel, 'iu')
const CLAUSE = new RegExp(words.clause, 'giu')
const INLINE = words.inlineFrames.map(pattern => new RegExp(pattern, 'iu'))
const POSITIONS = words.positions.map(pattern => new RegExp(pattern, 'iu'))
const MOST_FRAMES = 20

/** What was pasted, apart: frames, and lines that describe them. */
export interface Pasted {
  frames: PastedFrame[]
  lines: string[]
}

/** The bytes of a line of hex digits (`01 03 04`, `0x01,0x03`, `010304`), at least `least`; null: it is none. */
export function hexLine(line: string, least = 3): string | null {
  const bare = line
    .trim()
    .replaceAll(/0x/gi, '')
    .replaceAll(/[\s,:-]+/g, '')
  if (bare.length < least * 2 || bare.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(bare)) return null
  // Words of digits alone are numbers of something else, unless they stand in pairs.
  const pairs = /^(?:0x)?[0-9a-f]{2}(?:[\s,:-]+(?:0x)?[0-9a-f]{2})+$/i.test(line.trim())
  if (!pairs && (!/^[0-9a-f]+$/i.test(line.trim()) || bare.length < 8 || /^\d{8,11}$/.test(bare))) return null
  return bare.toLowerCase()
}

/** `T:25.3,H:60`, `#21.5,60#`, `$GPRMC,…`: text of a device rather than of a manual. */
function isTextFrame(line: string): boolean {
  const text = line.trim()
  if (!/^[\x21-\x7e][\x20-\x7e]*$/.test(text) || text.length > 512 || !/\d/.test(text)) return false
  if (/^[$#*!@&]/.test(text) && /[,;|*#]/.test(text.slice(1))) return true
  if (
    /^[A-Za-z_]\w{0,15}\s*[=:]\s*[-+]?\d+(?:\.\d+)?[A-Za-z%]{0,4}(?:\s*[,;|&]\s*[A-Za-z_]\w{0,15}\s*[=:]\s*[-+]?\d+(?:\.\d+)?[A-Za-z%]{0,4})+[;,#*]?$/.test(
      text,
    )
  )
    return true
  return /^[-+]?\d+(?:\.\d+)?(?:\s*[,;|]\s*[-+]?\d*\.?\d+)+[;,]?$/.test(text) && /\.|,.*,/.test(text)
}

/** Takes frames (hex, JSON, text) out of a pasted text; what is left describes them. */
export function readPasted(text: string): Pasted {
  const { rest, documents } = jsonIn(text)
  const frames: PastedFrame[] = documents.map(payload => ({ encoding: 'text', payload }))
  const lines: string[] = []
  // A sentence that places several values is as good as a line for each.
  for (const whole of rest.replaceAll(CLAUSE, '\n').split(/\r?\n/)) {
    const line = whole.trim().replace(/^```\w*$/, '')
    if (line === '') continue
    const bare = trimmedEnd(line.replace(LABEL, ''), /[\u3002\uff1b\uff0c;,]/)
    const hex = hexLine(bare)
    if (hex) frames.push({ encoding: 'hex', payload: hex })
    else if (isTextFrame(bare)) frames.push({ encoding: 'text', payload: bare.trim() })
    else {
      const inside = frameInside(line)
      if (inside) frames.push(inside.frame)
      const kept = inside ? inside.rest : line
      if (kept.trim() !== '') lines.push(kept)
    }
  }
  return { frames: frames.slice(0, MOST_FRAMES), lines }
}

/** A frame in the middle of a sentence: "it sends T:25.3,H:60 every minute". */
function frameInside(line: string): { frame: PastedFrame; rest: string } | null {
  const placed = POSITIONS.some(pattern => pattern.test(line))
  for (const pattern of INLINE) {
    const found = pattern.exec(line)
    if (!found) continue
    const rest = `${line.slice(0, found.index)} ${line.slice(found.index + found[0].length)}`
    const hex = hexLine(found[0])
    // What stands in the line of a header byte is its constant, unless it is long enough for an example.
    if (hex && (!placed || hex.length >= 12)) return { frame: { encoding: 'hex', payload: hex }, rest }
    if (!hex && !placed) return { frame: { encoding: 'text', payload: found[0].trim() }, rest }
  }
  return null
}

/** Whole JSON objects in the text, wherever they stand. */
function jsonIn(text: string): { rest: string; documents: string[] } {
  const documents: string[] = []
  let rest = ''
  let at = 0
  while (at < text.length) {
    const start = text.slice(at).search(/[{[]\s*["{[]/)
    if (start < 0) break
    const from = at + start
    const end = endOfJson(text, from)
    if (end === null) {
      rest += text.slice(at, from + 1)
      at = from + 1
      continue
    }
    documents.push(text.slice(from, end))
    rest += `${text.slice(at, from).replace(/[^\n]*$/u, line => (LABEL.test(line) ? '' : line))}\n`
    at = end
  }
  return { rest: rest + text.slice(at), documents }
}

/** Where the JSON value that begins at `from` ends; null: there is none. */
function endOfJson(text: string, from: number): number | null {
  for (let end = from + 2, tries = 0; end <= text.length && tries < 200; end++) {
    if (!'}]'.includes(text[end - 1]!)) continue
    tries += 1
    try {
      const value: unknown = JSON.parse(text.slice(from, end))
      if (typeof value === 'object' && value !== null) return end
    } catch {}
  }
  return null
}
