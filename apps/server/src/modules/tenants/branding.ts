import type { BrandingView } from '@thingwright/contracts/company.contract'
import { contrast } from '@thingwright/contracts/contrast'
import { AppError } from '../../lib/errors.ts'
import { sanitiseSvg } from '../../lib/files/svg.ts'

const MAX_LOGO_BYTES = 100 * 1024
/** WCAG 2.2, 1.4.3: text of buttons in the company's colour. */
const MIN_CONTRAST = 4.5

export const NO_BRANDING: BrandingView = { title: '', titleEn: '', logo: '', colour: null }

/**
 * Branding as it may be stored: the colour carries white text, the logo is an image by its first bytes and at most 100 KB,
 * a drawing is cleaned of everything that is not drawing.
 * @throws AppError company.colour_unreadable, company.logo_invalid
 */
export function checkBranding(given: BrandingView): BrandingView {
  if (given.colour) {
    const ratio = contrast(given.colour, '#ffffff')
    if (ratio < MIN_CONTRAST)
      throw new AppError('company.colour_unreadable', {
        params: { contrast: Math.floor(ratio * 10) / 10, least: MIN_CONTRAST },
        fields: {
          colour: {
            code: 'company.colour_unreadable',
            params: { contrast: Math.floor(ratio * 10) / 10, least: MIN_CONTRAST },
          },
        },
      })
  }
  return { title: given.title.trim(), titleEn: given.titleEn.trim(), logo: checkLogo(given.logo), colour: given.colour }
}

function checkLogo(logo: string): string {
  if (logo === '') return ''
  const refused = () => new AppError('company.logo_invalid', { params: { limit: MAX_LOGO_BYTES / 1024 } })
  const parts = /^data:(image\/(?:png|jpeg|webp|svg\+xml));base64,([A-Za-z0-9+/]+={0,2})$/.exec(logo)
  if (!parts) throw refused()
  const bytes = Buffer.from(parts[2]!, 'base64')
  if (bytes.length > MAX_LOGO_BYTES) throw refused()
  if (parts[1] === 'image/svg+xml') {
    const clean = sanitiseSvg(bytes.toString('utf8'))
    if (clean === null) throw refused()
    return `data:image/svg+xml;base64,${Buffer.from(clean).toString('base64')}`
  }
  if (imageType(bytes) !== parts[1]) throw refused()
  return logo
}

/** What the first bytes say a file is; null for anything that is not taken. */
export function imageType(bytes: Buffer): 'image/png' | 'image/jpeg' | 'image/webp' | null {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'image/png'
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg'
  if (bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP')
    return 'image/webp'
  return null
}
