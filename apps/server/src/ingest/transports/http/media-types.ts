/** Media types in which a device may send JSON: itself, none, and what simple clients put there without being asked. */
const TAKEN = new Set([
  '',
  'application/json',
  'text/json',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
])

/** Whether a body is what the device sent, byte for byte: raw messages may be of any type. */
export function isPlain({ contentEncoding }: { contentEncoding: string }): boolean {
  return contentEncoding === '' || contentEncoding === 'identity'
}

/** Whether a body can be read as JSON: no compression, no form of several parts. */
export function isReadable({
  contentType,
  contentEncoding,
}: {
  contentType: string
  contentEncoding: string
}): boolean {
  if (contentEncoding !== '' && contentEncoding !== 'identity') return false
  if (contentType === 'application/json') return true
  const semicolon = contentType.indexOf(';')
  const media = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
  return TAKEN.has(media) || media.endsWith('+json')
}
