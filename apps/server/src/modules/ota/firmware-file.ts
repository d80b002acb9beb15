import { AppError } from '../../lib/errors.ts'
import { trimmedEnd } from '../../lib/trimmed.ts'

/** Bytes of the beginning that are looked at. */
export const HEAD_BYTES = 512

interface FileKind {
  /** What the file begins with, and where; null: any bytes. */
  magic: { at: number; bytes: Buffer; name: string } | null
}

const magic = (name: string, bytes: string | number[], at = 0) => ({ at, bytes: Buffer.from(bytes as string), name })
const ZIP = magic('PK', [0x50, 0x4b])
const GZIP = magic('1F 8B', [0x1f, 0x8b])

const KINDS: Readonly<Record<string, FileKind>> = {
  bin: { magic: null },
  img: { magic: null },
  fw: { magic: null },
  ota: { magic: null },
  dfu: { magic: null },
  patch: { magic: null },
  hex: { magic: magic(':', ':') },
  uf2: { magic: magic('UF2', 'UF2\n') },
  elf: { magic: magic('7F ELF', [0x7f, 0x45, 0x4c, 0x46]) },
  gz: { magic: GZIP },
  gzip: { magic: GZIP },
  tgz: { magic: GZIP },
  zip: { magic: ZIP },
  apk: { magic: ZIP },
  tar: { magic: magic('ustar (257)', 'ustar', 257) },
  xz: { magic: magic('FD 7zXZ', [0xfd, 0x37, 0x7a, 0x58, 0x5a]) },
  bz2: { magic: magic('BZh', 'BZh') },
}

/** What people are told they may send. */
export const ALLOWED = Object.keys(KINDS)
  .map(ending => `.${ending}`)
  .join(' ')

/**
 * Things that are no firmware though they may be called `.bin`: pages and scripts that a browser or shell would run
 * (also behind a byte order mark or blanks), pictures, documents, and programs of desktop systems.
 */
const NOT_FIRMWARE: readonly RegExp[] = [
  /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|script|svg|\?xml|\?php|iframe|img)/i,
  /^#!/,
  /^%PDF-/,
  /^\x89PNG\r\n/,
  /^GIF8[79]a/,
  /^\xff\xd8\xff/,
  /^\{\\rtf/,
  /^MZ.{58,508}PE\0\0/s,
]

/**
 * The name a file is shown and downloaded by: the last part of what was sent, without control characters, characters
 * that turn the reading direction, and what shells, browsers and file systems read otherwise. Never part of a path here.
 */
export function firmwareFileName(sent: string): string {
  const last = sent.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const plain = last
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._+~()-]/gu, '_')
    .replaceAll(/_{2,}/g, '_')
    .replace(/^[._-]+/, '')
  const clean = trimmedEnd(plain, /[. _]/)
  const ending = endingOf(clean)
  return clean.length <= 120 ? clean : `${clean.slice(0, 119 - ending.length).toWellFormed()}.${ending}`
}

function endingOf(name: string): string {
  return /\.([A-Za-z0-9]{1,5})$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

/**
 * Holds name and first bytes against each other before anything is stored.
 * @param head the first bytes, HEAD_BYTES of them or the whole file
 * @param own what full packages of the product begin with; null: nothing is asked
 * @throws AppError firmware.file_empty, firmware.file_kind, firmware.magic, firmware.content_refused
 */
export function checkFirmwareFile(fileName: string, head: Buffer, own: Buffer | null): void {
  if (head.length === 0) throw new AppError('firmware.file_empty')
  const kind = KINDS[endingOf(fileName)]
  if (!kind) throw new AppError('firmware.file_kind', { params: { allowed: ALLOWED } })
  const expected = own ? { at: 0, bytes: own, name: own.toString('hex').toUpperCase() } : kind.magic
  if (expected && !head.subarray(expected.at, expected.at + expected.bytes.length).equals(expected.bytes))
    throw new AppError('firmware.magic', { params: { expected: expected.name } })
  const text = head.toString('latin1')
  if (NOT_FIRMWARE.some(pattern => pattern.test(text))) throw new AppError('firmware.content_refused')
}
