import { AlarmLevel } from '@thingwright/contracts/alarms.contract'
import { PAGE_CONTROLS, PAGE_STATES, PAGE_VISIBILITIES, SUFFIX_PATTERN } from '@thingwright/contracts/cloud-pages.words'
import { IsoTime, Words } from '@thingwright/contracts/common'
import { Attributes } from '@thingwright/contracts/devices.contract'
import { FenceShape } from '@thingwright/contracts/geofences.contract'
import { PresetTrigger, TriggerTemplates } from '@thingwright/contracts/trigger-presets.contract'
import { TriggerScope } from '@thingwright/contracts/trigger-schemas'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { AppError } from '../../lib/errors.ts'
import { Access, ProductSettings } from './product-settings.ts'

/** One line of each kind of configuration, as it stands in the file. Ids in it are the exporting company's. */
const Ref = Type.String({ minLength: 1, maxLength: 64 })
const NullableText = (maxLength: number) => Type.Union([Type.String({ maxLength }), Type.Null()])
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const GroupLine = Type.Object({
  id: Ref,
  kind: Type.Union([Type.Literal('device'), Type.Literal('product'), Type.Literal('user')]),
  parentId: Nullable(Ref),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  position: Type.Integer({ minimum: 0 }),
})
export const RoleLine = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  ename: Type.String({ maxLength: 64 }),
  description: Type.String({ maxLength: 1000 }),
  permissions: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 200 }),
  menuKeys: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 500 }),
  dataScope: Type.Object({
    // An unknown kind is not read as one that shows more.
    kind: Type.Union((['all', 'own_groups', 'own', 'groups', 'products'] as const).map(kind => Type.Literal(kind))),
    groupIds: Type.Optional(Type.Array(Ref, { maxItems: 200 })),
    productIds: Type.Optional(Type.Array(Ref, { maxItems: 200 })),
  }),
})
export const ProductLine = Type.Object({
  id: Ref,
  productKey: Type.String({ pattern: '^[A-Za-z0-9]{1,32}$' }),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  description: Type.String({ maxLength: 1000 }),
  category: Type.String({ maxLength: 64 }),
  icon: Type.String({ maxLength: 8192 }),
  linkType: Type.String({ pattern: '^[a-z_]{1,32}$' }),
  nodeType: Type.Union([Type.Literal('device'), Type.Literal('gateway'), Type.Literal('sub_device')]),
  status: Type.Union([Type.Literal('draft'), Type.Literal('published')]),
  draftModel: Type.Unknown(),
  publishedModel: Type.Unknown(),
  modelVersion: Type.Integer({ minimum: 0 }),
  format: Type.Record(Type.String(), Type.Unknown()),
  offlineDelaySeconds: Type.Integer({ minimum: 10, maximum: 604800 }),
  groupId: Nullable(Ref),
  /** Absent in files of older versions. */
  settings: Type.Optional(ProductSettings),
})
export const DeviceLine = Type.Object({
  productId: Ref,
  deviceNo: Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,64}$' }),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  lifecycle: Type.Union([Type.Literal('inactive'), Type.Literal('active'), Type.Literal('disabled')]),
  groupId: Nullable(Ref),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 32 }), { maxItems: 20 }),
  /** Absent in files of older versions. */
  attributes: Type.Optional(Attributes),
  description: Type.String({ maxLength: 1000 }),
  location: Nullable(
    Type.Object({
      lng: Type.Number({ minimum: -180, maximum: 180 }),
      lat: Type.Number({ minimum: -90, maximum: 90 }),
      address: Type.Optional(Type.String({ maxLength: 256 })),
    }),
  ),
  offlineDelaySeconds: Nullable(Type.Integer({ minimum: 10, maximum: 604800 })),
  overrides: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown())),
  access: Type.Optional(Access),
  subAddress: Type.Optional(Type.String({ maxLength: 64 })),
  /** The device that speaks for this one. */
  gateway: Type.Optional(Type.Object({ productId: Ref, deviceNo: Type.String({ maxLength: 64 }) })),
  /** Sealed with the passphrase for `productKey/deviceNo` of the exporting company. */
  secret: Type.Optional(Type.String({ maxLength: 256 })),
})
export const AlarmLevelsLine = Type.Object({ levels: Type.Array(AlarmLevel, { minItems: 5, maxItems: 5 }) })
const NamedDevice = Type.Object({ id: Ref, productId: Ref, deviceNo: Type.String({ minLength: 1, maxLength: 64 }) })
export const FenceLine = Type.Object({
  id: Ref,
  name: Type.String({ minLength: 1, maxLength: 64 }),
  shape: FenceShape,
  colour: Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }),
  enabled: Type.Boolean(),
  remark: Type.String({ maxLength: 512 }),
  scope: Nullable(TriggerScope),
  devices: Type.Array(NamedDevice, { maxItems: 1000 }),
})
export const TriggerLine = Type.Object({
  id: Ref,
  name: Type.String({ minLength: 1, maxLength: 64 }),
  description: Type.String({ maxLength: 512 }),
  document: Type.Record(Type.String({ maxLength: 64 }), Type.Unknown()),
  enabled: Type.Boolean(),
  expiresAt: Nullable(IsoTime),
  devices: Type.Array(
    Type.Object({ id: Ref, productId: Ref, deviceNo: Type.String({ minLength: 1, maxLength: 64 }) }),
    { maxItems: 2000 },
  ),
  names: Type.Record(Ref, Type.String({ maxLength: 64 })),
})
export const TriggerPresetLine = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  note: Type.String({ maxLength: 512 }),
  triggers: Type.Array(PresetTrigger, { minItems: 1, maxItems: 50 }),
  templates: Type.Optional(TriggerTemplates),
})
export const PageLine = Type.Object({
  id: Ref,
  name: Type.String({ minLength: 1, maxLength: 64 }),
  suffix: Type.String({ pattern: SUFFIX_PATTERN }),
  state: Words(PAGE_STATES),
  visibility: Words(PAGE_VISIBILITIES),
  control: Words(PAGE_CONTROLS),
  roleIds: Type.Array(Ref, { maxItems: 200 }),
  hadPin: Type.Boolean(),
  scene: Type.Unknown(),
  published: Nullable(Type.Object({ scene: Type.Unknown(), note: Type.String({ maxLength: 1000 }) })),
  devices: Type.Array(Type.Object({ id: Ref, productId: Ref, deviceNo: Type.String({ maxLength: 64 }) }), {
    maxItems: 20_000,
  }),
  names: Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 64 })),
  materials: Type.Optional(
    Type.Array(
      Type.Object({
        id: Ref,
        name: Type.String({ maxLength: 255 }),
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      }),
      { maxItems: 20_000 },
    ),
  ),
  cameras: Type.Optional(
    Type.Array(
      Type.Object({
        id: Ref,
        name: Type.String({ maxLength: 255 }),
        serial: NullableText(128),
        channelNo: Nullable(Type.Integer()),
      }),
      { maxItems: 20_000 },
    ),
  ),
})
export const ConnectionLine = Type.Object({
  system: Type.String({ maxLength: 32 }),
  name: Type.String({ minLength: 1, maxLength: 128 }),
  address: Type.String({ maxLength: 400 }),
})
export const MemberLine = Type.Object({
  username: Type.String({ maxLength: 64 }),
  displayName: Type.String({ maxLength: 64 }),
  phone: NullableText(32),
  email: NullableText(128),
  roles: Type.Array(Type.String({ maxLength: 64 })),
})
export const SettingsLine = Type.Object({
  timeZone: Type.String({ maxLength: 64 }),
  contactName: Type.String({ maxLength: 64 }),
  contactPhone: Type.String({ maxLength: 32 }),
  contactEmail: Type.String({ maxLength: 128 }),
  industry: Type.String({ maxLength: 64 }),
  region: Type.String({ maxLength: 64 }),
  branding: Type.Record(Type.String(), Type.Unknown()),
  retention: Type.Record(Type.String(), Type.Unknown()),
})
export const MaterialLine = Type.Object({
  /** By which pages show it, and whether their visitors may; both absent in files of older versions. */
  id: Type.Optional(Ref),
  public: Type.Optional(Type.Boolean()),
  name: Type.String({ minLength: 1, maxLength: 255 }),
  contentType: Type.String({ maxLength: 128 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  size: Type.Integer({ minimum: 1 }),
  folder: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 8 }),
  tags: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 50 }),
})

export type GroupLine = Static<typeof GroupLine>
export type RoleLine = Static<typeof RoleLine>
export type ProductLine = Static<typeof ProductLine>
export type DeviceLine = Static<typeof DeviceLine>
export type AlarmLevelsLine = Static<typeof AlarmLevelsLine>
export type FenceLine = Static<typeof FenceLine>
export type TriggerLine = Static<typeof TriggerLine>
export type TriggerPresetLine = Static<typeof TriggerPresetLine>
export type PageLine = Static<typeof PageLine>
export type MemberLine = Static<typeof MemberLine>
export type SettingsLine = Static<typeof SettingsLine>
export type MaterialLine = Static<typeof MaterialLine>

const MAX_LINE = 1_000_000

/**
 * Lines of a file, each checked; a wrong one ends the reading.
 * @param longest of a line, in characters
 * @throws AppError transfer.row_invalid
 */
export async function* linesOf<T extends TSchema>(
  bytes: AsyncIterable<Buffer>,
  schema: T,
  longest = MAX_LINE,
): AsyncGenerator<Static<T>> {
  let line = 0
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  const refuse = (reason: string) => new AppError('transfer.row_invalid', { params: { line, reason } })
  const read = (text: string): Static<T> => {
    line++
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw refuse('JSON')
    }
    if (!Value.Check(schema, value)) {
      const [problem] = Value.Errors(schema, value)
      throw refuse(
        problem ? `${(problem as { instancePath?: string }).instancePath ?? ''} ${problem.message}` : 'shape',
      )
    }
    if (text.includes('\\u0000')) throw refuse('NUL')
    return value as Static<T>
  }
  for await (const chunk of bytes) {
    try {
      rest += decoder.decode(chunk, { stream: true })
    } catch {
      throw refuse('UTF-8')
    }
    const parts = rest.split('\n')
    rest = parts.pop() ?? ''
    if (rest.length > longest) throw refuse('length')
    for (const part of parts) if (part !== '') yield read(part)
  }
  if (rest !== '') yield read(rest)
}

export async function* toLines(rows: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const row of rows) yield encoder.encode(`${JSON.stringify(row)}\n`)
}
