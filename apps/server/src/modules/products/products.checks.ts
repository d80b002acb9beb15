import { parseModel, type ThingModel } from '@thingwright/thing-model'
import { AppError } from '../../lib/errors.ts'
import { sanitiseSvg } from '../../lib/files/svg.ts'

/** Ways in that this version has. MQTT over WebSocket is part of 'mqtt'. */
const AVAILABLE_LINKS: ReadonlySet<string> = new Set([
  'mqtt',
  'http',
  'tcp',
  'udp',
  'modbus_rtu',
  'modbus_tcp',
  'coap',
  'websocket',
  'nbiot',
  'lorawan',
])

/** @throws AppError product.link_type_unavailable */
export function checkLinkType(linkType: string): void {
  if (!AVAILABLE_LINKS.has(linkType)) throw new AppError('product.link_type_unavailable', { params: { linkType } })
}

/** The icon as it may be stored: empty, or clean SVG. @throws AppError product.icon_invalid */
export function checkIcon(icon: string): string {
  if (icon === '') return ''
  const clean = sanitiseSvg(icon)
  if (clean === null) throw new AppError('product.icon_invalid')
  return clean
}

/**
 * Reads a thing model.
 * @param prefix what stands before the model's own paths in the body, for the fields of the error
 * @throws AppError product.model_invalid with one field for each problem
 */
export function readModel(value: unknown, prefix: string): ThingModel {
  const parsed = parseModel(value)
  if (parsed.ok) return parsed.model
  const { problems } = parsed
  throw new AppError('product.model_invalid', {
    params: { count: problems.length },
    fields: Object.fromEntries(
      problems.map(({ path, code, params }) => [prefix + path || '$', { code: `model.${code}`, params }]),
    ),
  })
}
