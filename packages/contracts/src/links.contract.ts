import { type Static, Type } from 'typebox'
import { IdParams, Nullable, Version, Words } from './common.ts'
import { REGISTER_KINDS } from './links.words.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const

/** Bytes as people write them: hex digits, or text in which \r \n \t \0 \\ and \xHH stand for themselves. */
export const WrittenBytes = Type.Object(
  { encoding: Words(['text', 'hex']), value: Type.String({ minLength: 1, maxLength: 128 }) },
  closed,
)
export type WrittenBytes = Static<typeof WrittenBytes>

/** How the stream of a TCP connection is cut into frames; a UDP datagram is cut the same way and ends its last frame. */
export const Framing = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, closed),
  Type.Object({ kind: Type.Literal('json', { description: 'One JSON object or list; other bytes up to LF' }) }, closed),
  Type.Object({ kind: Type.Literal('fixed'), length: Type.Integer({ minimum: 1, maximum: 8192 }) }, closed),
  Type.Object(
    {
      kind: Type.Literal('delimiter'),
      delimiter: WrittenBytes,
      keep: Type.Optional(Type.Boolean({ description: 'The delimiter stays at the end of the frame' })),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('length'),
      offset: Type.Integer({ minimum: 0, maximum: 1024, description: 'Bytes before the length field' }),
      bytes: Type.Integer({ minimum: 1, maximum: 4, description: 'Width of the length field' }),
      endian: Words(['big', 'little']),
      adjustment: Type.Integer({
        minimum: -1024,
        maximum: 1024,
        description: 'Frame length = offset + bytes + value of the field + adjustment',
      }),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('script'),
      source: Type.String({
        minLength: 1,
        maxLength: 16384,
        description: 'function frame(bytes) → length of the first whole frame, 0: wait for more, below 0: drop so many',
      }),
    },
    closed,
  ),
])
export type Framing = Static<typeof Framing>

/** The first packet of a connection, which says who connects. */
export const RegisterPacket = Type.Object(
  {
    /** line: `{productKey}/{deviceNo}/{deviceSecret}`; the others carry the device number alone. */
    kind: Words(REGISTER_KINDS),
    end: Type.Optional(Words(['line', 'gap', 'length'], { description: 'Where the packet ends; a line ends by LF' })),
    length: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'RE2, over the first 256 bytes; its first group is the number',
      }),
    ),
    path: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'JSON path of the number: $.dev.sn' }),
    ),
    everyFrame: Type.Optional(Type.Boolean({ description: 'The packet stands before every frame, and is none of it' })),
  },
  closed,
)
export type RegisterPacket = Static<typeof RegisterPacket>

export const Heartbeat = Type.Object({ packet: WrittenBytes, reply: Type.Optional(Nullable(WrittenBytes)) }, closed)

export const PortChoice = Type.Object(
  {
    mode: Words(['shared', 'own']),
    number: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 65535, description: 'Own port; absent: the next free one' })),
    ),
  },
  closed,
)

/** Times and addresses of polling; the register table stands in the format. */
export const ModbusPolling = Type.Object(
  {
    cycleSeconds: Type.Integer({ minimum: 1, maximum: 86400 }),
    slave: Type.Integer({ minimum: 1, maximum: 247 }),
    timeoutMs: Type.Integer({ minimum: 100, maximum: 10000 }),
    retries: Type.Integer({ minimum: 0, maximum: 5 }),
    maxGap: Type.Integer({ minimum: 0, maximum: 8, description: 'Registers between two that are read along' }),
    pauseMs: Type.Integer({ minimum: 0, maximum: 1000, description: 'Silence of the bus between two requests' }),
  },
  closed,
)
export type ModbusPolling = Static<typeof ModbusPolling>

/** How devices of a product connect by TCP or UDP. */
export const LinkSettings = Type.Object(
  {
    register: RegisterPacket,
    heartbeat: Nullable(Heartbeat),
    framing: Framing,
    idleGapMs: Nullable(
      Type.Integer({ minimum: 5, maximum: 10000, description: 'Silence that ends a frame; null: none does' }),
    ),
    maxFrameBytes: Type.Integer({ minimum: 16, maximum: 8192 }),
    port: PortChoice,
    modbus: ModbusPolling,
  },
  closed,
)
export type LinkSettings = Static<typeof LinkSettings>

const PartOfSettings = Type.Partial(LinkSettings, closed)
export type LinkSettingsInput = Static<typeof PartOfSettings>

export const LinkView = Type.Object({
  settings: LinkSettings,
  /** Nothing was set: these are the defaults. */
  isDefault: Type.Boolean(),
  port: Type.Object({
    /** shared: the installation's port; open, failed: the own port; unused: the link type has no port of this kind. */
    state: Words(['shared', 'open', 'failed', 'unknown', 'unused']),
    number: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
  }),
  ownPorts: Type.Object({ from: Type.Integer(), to: Type.Integer() }),
  version: Type.Integer(),
})
export type LinkView = Static<typeof LinkView>

export const LinkTrial = Type.Object({
  /** The device that the register packet names, or why it names none. */
  register: Nullable(
    Type.Object({
      productKey: Nullable(Type.String()),
      deviceNo: Nullable(Type.String()),
      problem: Nullable(Type.String()),
    }),
  ),
  frames: Type.Array(
    Type.Object({
      hex: Type.String(),
      text: Nullable(Type.String()),
      kind: Words(['frame', 'heartbeat', 'registration', 'too_long']),
    }),
  ),
  /** Bytes that wait for more. */
  rest: Type.String(),
})
export type LinkTrial = Static<typeof LinkTrial>

/** What one device does otherwise than its product says. */
export const DeviceLinkOverrides = Type.Object(
  {
    slave: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 247 }))),
    cycleSeconds: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 86400 }))),
  },
  closed,
)
export type DeviceLinkOverrides = Static<typeof DeviceLinkOverrides>

export const linksContract = {
  get: route({
    method: 'GET',
    path: '/api/v1/products/{id}/link',
    tag: 'Products',
    summary: 'How devices of the product connect, and the state of its own port',
    permission: 'product:read',
    params: IdParams,
    response: LinkView,
  }),
  set: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/link',
    tag: 'Products',
    summary: 'Register packet, heartbeat, framing, port and polling; what is absent takes its default',
    permission: 'product:write',
    audit: 'product.link',
    params: IdParams,
    body: Type.Object({ version: Type.Optional(Version), ...PartOfSettings.properties }, closed),
    response: LinkView,
  }),
  try: route({
    method: 'POST',
    path: '/api/v1/products/{id}/link/try',
    tag: 'Products',
    summary: 'Reads a register packet and cuts bytes into frames without storing anything',
    permission: 'product:read',
    audit: { none: 'changes nothing' },
    params: IdParams,
    body: Type.Object(
      {
        settings: Type.Optional(PartOfSettings),
        register: Type.Optional(Type.String({ maxLength: 512, pattern: '^([0-9a-fA-F]{2})*$' })),
        stream: Type.Optional(Type.String({ maxLength: 32768, pattern: '^([0-9a-fA-F]{2})*$' })),
      },
      closed,
    ),
    response: LinkTrial,
  }),
}

export const deviceLinksContract = {
  get: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/link-overrides',
    tag: 'Devices',
    summary: 'What the device does otherwise than its product’s link settings',
    permission: 'device:read',
    params: IdParams,
    response: DeviceLinkOverrides,
  }),
  set: route({
    method: 'PUT',
    path: '/api/v1/devices/{id}/link-overrides',
    tag: 'Devices',
    summary: 'Slave address and polling cycle of this device; null or absent: as the product says',
    permission: 'device:write',
    audit: 'device.link_overrides',
    params: IdParams,
    body: DeviceLinkOverrides,
    response: DeviceLinkOverrides,
  }),
}
