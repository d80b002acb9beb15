import type { MediaKind } from '@thingwright/contracts/media.contract'

/** So much of the beginning decides what a file is. */
export const SNIFF_BYTES = 4096

export interface Sniffed {
  kind: MediaKind
  /** Sent with the bytes, whatever the uploader claimed. */
  contentType: string
}

const FILE: Sniffed = { kind: 'file', contentType: 'application/octet-stream' }
const image = (format: string): Sniffed => ({ kind: 'image', contentType: `image/${format}` })
const audio = (format: string): Sniffed => ({ kind: 'audio', contentType: `audio/${format}` })
const video = (format: string): Sniffed => ({ kind: 'video', contentType: `video/${format}` })
const file = (contentType: string): Sniffed => ({ kind: 'file', contentType })

/**
 * What the bytes are, from their beginning alone; a name or a claimed type counts for nothing. What is not known is a
 * file, which is only ever handed out as a download. Signatures: WHATWG MIME Sniffing §6, ISO 14496-12 (ftyp),
 * RFC 3533 (Ogg), Matroska (EBML), Khronos glTF 2.0.
 */
export function sniff(head: Buffer): Sniffed {
  const starts = (text: string, at = 0) => head.subarray(at, at + text.length).toString('latin1') === text
  if (starts('\x89PNG\r\n\x1a\n')) return image('png')
  if (starts('\xff\xd8\xff')) return image('jpeg')
  if (starts('GIF87a') || starts('GIF89a')) return image('gif')
  if (starts('RIFF') && starts('WEBP', 8)) return image('webp')
  if (starts('RIFF') && starts('WAVE', 8)) return audio('wav')
  if (starts('ftyp', 4)) return ofBrand(head.subarray(8, 12).toString('latin1'))
  if (starts('\x1aE\xdf\xa3')) return head.subarray(0, 64).includes('webm') ? video('webm') : FILE
  if (starts('OggS')) return head.subarray(0, 128).includes('theora') ? video('ogg') : audio('ogg')
  if (starts('fLaC')) return audio('flac')
  if (starts('ID3')) return audio('mpeg')
  if (starts('glTF')) return file('model/gltf-binary')
  if (starts('%PDF-')) return file('application/pdf')
  if (starts('PK\x03\x04') || starts('PK\x05\x06')) return file('application/zip')
  if (starts('\x1f\x8b')) return file('application/gzip')
  if (isSvg(head)) return { kind: 'svg', contentType: 'image/svg+xml' }
  return ofFrame(head) ?? FILE
}

function ofBrand(brand: string): Sniffed {
  if (brand === 'avif' || brand === 'avis') return image('avif')
  if (brand === 'M4A ' || brand === 'M4B ') return audio('mp4')
  if (brand === 'qt  ') return video('quicktime')
  if (/^(isom|iso[2-9]|mp4[12]|avc1|dash|M4V |MSNV|3gp.)$/.test(brand)) return video('mp4')
  return FILE
}

/** MPEG audio without a tag begins with a frame header: sync, a layer, a bit rate and a sample rate that exist. */
function ofFrame(head: Buffer): Sniffed | null {
  const [a = 0, b = 0, c = 0] = head
  if (a !== 0xff || (b & 0xe0) !== 0xe0) return null
  if ((b & 0xf6) === 0xf0) return audio('aac')
  const layer = (b >> 1) & 3
  const rate = (c >> 4) & 15
  return layer !== 0 && rate !== 0 && rate !== 15 && ((c >> 2) & 3) !== 3 ? audio('mpeg') : null
}

/** The first element is `svg`, after a byte order mark, blanks, a prolog, comments and a DOCTYPE. */
function isSvg(head: Buffer): boolean {
  let text = head.toString('utf8').replace(/^\ufeff/, '')
  for (;;) {
    text = text.trimStart()
    const end = text.startsWith('<!--')
      ? text.indexOf('-->') + 3
      : text.startsWith('<?xml')
        ? text.indexOf('?>') + 2
        : /^<!doctype svg/i.test(text)
          ? endOfDoctype(text)
          : -1
    if (end === -1) return /^<svg[\s/>]/.test(text)
    if (end < 4) return false
    text = text.slice(end)
  }
}

/** Also past declarations of its own: the cleaning refuses those, but the file is still an SVG. */
function endOfDoctype(text: string): number {
  const open = text.indexOf('[')
  const close = text.indexOf('>')
  return open !== -1 && open < close ? text.indexOf(']>') + 2 : close + 1
}
