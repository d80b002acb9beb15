import { PORTAL_IMAGE_KB, type PortalImage } from '@thingwright/contracts/apps.words'
import { AppError } from '../../lib/errors.ts'
import { sanitiseSvg } from '../../lib/files/svg.ts'
import { imageType } from '../tenants/index.ts'

/**
 * An image out of a data URL: what its first bytes say it is, no longer than its kind may be, a drawing cleaned of
 * everything that is not drawing.
 * @throws AppError web_app.image_invalid
 */
export function readImage(kind: PortalImage, data: string): { type: string; bytes: Buffer } {
  const limit = PORTAL_IMAGE_KB[kind]
  const refused = () => new AppError('web_app.image_invalid', { params: { limit } })
  const parts = /^data:(image\/(?:png|jpeg|webp|svg\+xml));base64,([A-Za-z0-9+/]+={0,2})$/.exec(data)
  if (!parts) throw refused()
  const bytes = Buffer.from(parts[2]!, 'base64')
  if (bytes.length > limit * 1024) throw refused()
  if (parts[1] === 'image/svg+xml') {
    const clean = sanitiseSvg(bytes.toString('utf8'))
    if (clean === null) throw refused()
    return { type: 'image/svg+xml', bytes: Buffer.from(clean) }
  }
  if (imageType(bytes) !== parts[1]) throw refused()
  return { type: parts[1]!, bytes }
}
