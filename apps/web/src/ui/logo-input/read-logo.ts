import { text } from '../../lib/i18n.ts'

/** Longest side of a logo: twice what the largest place shows. */
const SIDE = 192
const MAX_BYTES = 100 * 1024

/** A picture as a data: reference that the server takes: drawings as they are, others scaled down to PNG. */
export async function readLogo(file: File): Promise<string> {
  if (file.type === 'image/svg+xml') {
    if (file.size > MAX_BYTES) throw new Error(text('ui:logo.tooBig'))
    return dataUrl(file)
  }
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(text('ui:logo.unreadable'))
  })
  const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  const reference = canvas.toDataURL('image/png')
  if (reference.length > (MAX_BYTES * 4) / 3) throw new Error(text('ui:logo.tooBig'))
  return reference
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(text('ui:logo.unreadable')))
    reader.readAsDataURL(file)
  })
}
