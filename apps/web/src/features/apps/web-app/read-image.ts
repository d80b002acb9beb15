import { PORTAL_IMAGE_KB, type PortalImage } from '@thingwright/contracts/apps.words'
import { text } from '../../../lib/i18n.ts'

/** Longest side of each picture, in pixels. */
const SIDE: Readonly<Record<PortalImage, number>> = { logo: 256, favicon: 192, background: 1920 }

/** A picture as a data: reference that the server takes: drawings as they are, others scaled down to their place. */
export async function readImage(kind: PortalImage, file: File): Promise<string> {
  const limit = PORTAL_IMAGE_KB[kind] * 1024
  const tooBig = () => new Error(text('apps:webApp.imageTooBig', { limit: PORTAL_IMAGE_KB[kind] }))
  if (file.type === 'image/svg+xml') {
    if (file.size > limit) throw tooBig()
    return dataUrl(file)
  }
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(text('apps:webApp.imageUnreadable'))
  })
  const scale = Math.min(1, SIDE[kind] / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  // A photograph in the background is far smaller as JPEG.
  const reference = kind === 'background' ? canvas.toDataURL('image/jpeg', 0.82) : canvas.toDataURL('image/png')
  if (reference.length > (limit * 4) / 3) throw tooBig()
  return reference
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(text('apps:webApp.imageUnreadable')))
    reader.readAsDataURL(file)
  })
}
