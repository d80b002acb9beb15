/** Shorter texts are names, numbers and words too often. */
const SHORTEST = 20
/** Of one kind of letter and digits: numbers of devices and orders look so, up to this length. */
const SHORTEST_OF_ONE_CASE = 32
/** How often neighbours are of another kind: random letters and digits 0.62 (both cases) and 0.40 (one), names below 0.25. */
const CHANGES = 0.36
const CHANGES_OF_ONE_CASE = 0.3
const UUID = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi
/** What stands before bytes in Base64, and before the hash of a file. */
const BYTES_FOLLOW =
  /(?:frames?|payload|raw|data|bytes|base64|body|hex|sha-?\d*|md5|integrity|checksum|digest|hash|crc|etag|fingerprint)["'\]\s]*[:=,]?[-"'\s]*$/i

const HASH_BEGINS = /^(?:sha-?\d+|md5)[-_]/i
const WORD = /^(?:[A-Z]?[a-z]{3,}|[A-Z]{4,})$/

/** Whether a run of letters and digits is a secret by its looks alone. Hex never is: it may be a frame, a hash, an address. */
export function looksRandom(run: string, before: string): boolean {
  if (BYTES_FOLLOW.test(before) || HASH_BEGINS.test(run)) return false
  // As our own device secrets are: 32 bytes in Base64url.
  if (run.length === 43 && isRandomPart(run)) return true
  const rest = run.replaceAll(UUID, '')
  const parts = rest.split(/[/_+=-]+/)
  // A path or an identifier of several words: each for itself.
  if (parts.some(part => WORD.test(part))) return parts.some(isRandomPart)
  return isRandomPart(rest) && !isBytesWithOrder(run)
}

function isRandomPart(text: string): boolean {
  const core = text.replaceAll(/[^A-Za-z0-9]/g, '')
  if (core.length < SHORTEST || /^[0-9a-f]+$/i.test(core)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter(kind => kind.test(core)).length
  if (!/\d/.test(core) || kinds < 2) return false
  if (kinds === 2 && core.length < SHORTEST_OF_ONE_CASE) return false
  if (new Set(core).size < Math.min(12, core.length / 2)) return false
  return changesIn(core) / (core.length - 1) >= (kinds === 3 ? CHANGES : CHANGES_OF_ONE_CASE)
}

const kindOf = (character: string) => (/\d/.test(character) ? 0 : /[a-z]/.test(character) ? 1 : 2)

function changesIn(text: string): number {
  let changes = 0
  for (let at = 1; at < text.length; at++) if (kindOf(text[at]!) !== kindOf(text[at - 1]!)) changes++
  return changes
}

/** Base64 of something that has an order: text, or a frame with its zeros and repeated bytes. Keys have none. */
function isBytesWithOrder(run: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(run) || run.length % 4 !== 0) return false
  const bytes = Buffer.from(run, 'base64')
  const printable = bytes.filter(byte => byte >= 0x20 && byte < 0x7f).length
  if (printable / bytes.length > 0.9) return true
  const zeros = bytes.filter(byte => byte === 0 || byte === 0xff).length
  return zeros / bytes.length >= 0.1 || new Set(bytes).size / bytes.length < 0.7
}
