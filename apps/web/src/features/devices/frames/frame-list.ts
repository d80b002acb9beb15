import type { FrameView } from '@thingwright/contracts/diagnosis.contract'

/** Frames that a page keeps; older ones go. */
export const MAX_FRAMES = 500

/** A frame out of a live patch, or null when it is none. */
export function frameOf(id: string, patch: Record<string, unknown>): FrameView | null {
  const { at, direction, hex, size, channel, note } = patch
  if (typeof at !== 'string' || typeof hex !== 'string' || (direction !== 'up' && direction !== 'down')) return null
  return {
    id,
    at,
    direction,
    hex,
    size: typeof size === 'number' ? size : hex.length / 2,
    channel: typeof channel === 'string' ? channel : '',
    note: typeof note === 'string' ? note : '',
  }
}

/** Both lists in order of their ids, each frame once, the oldest dropped. */
export function mergeFrames(known: readonly FrameView[], fresh: readonly FrameView[]): FrameView[] {
  const last = known.at(-1)
  const newer = fresh.filter(frame => last === undefined || Number(frame.id) > Number(last.id))
  // In order as they come: the usual case.
  if (newer.length === fresh.length) return [...known, ...fresh].slice(-MAX_FRAMES)
  const all = new Map([...known, ...fresh].map(frame => [frame.id, frame]))
  return [...all.values()].sort((a, b) => Number(a.id) - Number(b.id)).slice(-MAX_FRAMES)
}

/** Bytes as people read them: printable characters as they are, the others as dots. */
export function asciiOf(hex: string): string {
  return (hex.match(/../g) ?? [])
    .map(byte => {
      const code = Number.parseInt(byte, 16)
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '·'
    })
    .join('')
}

/** UTF-8 where the bytes are that, else printable characters. */
export function textOf(hex: string): string {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16))
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(text) ? asciiOf(hex) : text
  } catch {
    return asciiOf(hex)
  }
}

export const spaced = (hex: string): string => (hex.match(/../g) ?? []).join(' ')

/** One line of a saved log: time, way, channel, bytes. */
export function logLine({ at, direction, channel, size, hex, note }: FrameView): string {
  const way = direction === 'up' ? '<-' : '->'
  const rest = note === '' ? '' : `  (${note})`
  return `${at} ${way} ${channel || '-'} [${size}] ${spaced(hex)}${rest}\n`
}
