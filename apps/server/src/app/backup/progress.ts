/** Says how far it is, on stderr: one line that changes on a terminal, a line every few seconds elsewhere. */
export interface Progress {
  /** Called as often as one likes. */
  at(text: string): void
  /** A line that stays. */
  say(text: string): void
}

const EVERY_MS = { terminal: 100, log: 5_000 }

export function createProgress(
  out: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'> = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  let shown = Number.NEGATIVE_INFINITY
  let open = false
  return {
    at(text) {
      if (now() - shown < (out.isTTY ? EVERY_MS.terminal : EVERY_MS.log)) return
      shown = now()
      open = Boolean(out.isTTY)
      out.write(out.isTTY ? `\r\u001b[K${text.slice(0, (out.columns || 80) - 1)}` : `${text}\n`)
    },
    say(text) {
      out.write(`${open ? '\r\u001b[K' : ''}${text}\n`)
      open = false
    },
  }
}

/** 1234567 bytes: "1.2 MB". */
export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
