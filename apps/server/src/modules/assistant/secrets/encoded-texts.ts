/** Base64 and Base64url; hex of at least a secret's length. */
const ENCODED = /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{11,1024}={0,2}/g
const HEX = /^(?:[0-9a-f]{2}){8,512}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/

/** The texts that stand encoded in a text: how they are written there, and what they say. */
export function encodedTexts(text: string): { written: string; said: string }[] {
  const found = new Map<string, string>()
  for (const [written] of text.matchAll(ENCODED)) {
    if (found.has(written)) continue
    for (const encoding of [HEX.test(written) ? 'hex' : null, BASE64.test(written) ? 'base64' : null] as const) {
      const said = encoding && printable(Buffer.from(written, encoding))
      if (said) found.set(written, said)
    }
  }
  return [...found].map(([written, said]) => ({ written, said }))
}

/** Bytes as text; null: they are none. */
function printable(bytes: Buffer): string | null {
  if (bytes.length < 8) return null
  const text = bytes.toString('utf8')
  return /^[\t\n\r\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe]+$/.test(text) && !text.includes('\ufffd') ? text : null
}
