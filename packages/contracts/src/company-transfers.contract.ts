import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Words } from './common.ts'
import { COMPANY_TRANSFER_STATES, TRANSFER_ITEM_STATES, TRANSFER_MOST } from './company-transfers.words.ts'
import { BatchTarget } from './device-batches.contract.ts'
import { route } from './route.ts'

export * from './company-transfers.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/company-transfers'
const tag = 'Devices'
const read = { tag, permission: 'company-transfer:read', wholeCompany: true } as const
const write = { tag, permission: 'company-transfer:write', wholeCompany: true } as const

const Code = Type.String({
  minLength: 16,
  maxLength: 64,
  description: 'As the giver tells it; blanks and dashes are ignored',
})

export const TransferProduct = Type.Object({
  id: { ...Id, description: 'Of the company that gives' },
  name: Type.String(),
  linkType: Type.String(),
  nodeType: Type.String(),
  devices: Type.Integer(),
  to: Nullable({ ...Id, description: 'The product that its devices get; null until the offer is accepted' }),
})
export type TransferProduct = Static<typeof TransferProduct>

/** What a giver tells a taker, before he decides. */
export const TransferOffer = Type.Object({
  fromName: Type.String(),
  withHistory: Type.Boolean(),
  withTriggers: Type.Boolean(),
  note: Type.String(),
  total: Type.Integer(),
  products: Type.Array(TransferProduct),
  expiresAt: IsoTime,
})
export type TransferOffer = Static<typeof TransferOffer>

export const CompanyTransferView = Type.Object({
  id: Id,
  direction: Words(['out', 'in'], { description: 'out: the caller’s company gives; in: it takes' }),
  state: Words(COMPANY_TRANSFER_STATES),
  fromName: Type.String(),
  toName: Type.String({ description: 'Empty while nobody took it' }),
  withHistory: Type.Boolean(),
  withTriggers: Type.Boolean(),
  note: Type.String(),
  total: Type.Integer(),
  moved: Type.Integer(),
  failed: Type.Integer(),
  products: Type.Array(TransferProduct),
  paused: Type.Array(Type.Object({ kind: Type.String(), id: Id, name: Type.String() }), {
    description: 'What stopped in the company that gave, shown to that company only',
  }),
  byName: Type.String(),
  acceptedName: Type.String(),
  taskId: Nullable({ ...Id, description: 'The task that moves the devices, shown to the company that takes' }),
  createdAt: IsoTime,
  expiresAt: IsoTime,
  acceptedAt: Nullable(IsoTime),
  endedAt: Nullable(IsoTime),
})
export type CompanyTransferView = Static<typeof CompanyTransferView>

export const TransferItemView = Type.Object({
  place: Type.Integer(),
  deviceNo: Type.String(),
  name: Type.String(),
  ownerName: Type.String({ description: 'The end user who had it; shown to the company that gave' }),
  state: Words(TRANSFER_ITEM_STATES),
  reason: Nullable(Type.String({ description: 'Code of the error where it failed' })),
  deviceId: Nullable({ ...Id, description: 'The device in the caller’s company; null: it is not there' }),
  movedAt: Nullable(IsoTime),
})
export type TransferItemView = Static<typeof TransferItemView>

export const companyTransfersContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'Devices that went or are offered to other companies, and that came from them; newest first',
    query: Type.Object({
      ...listQuery,
      direction: Type.Optional(Words(['out', 'in'])),
      state: Type.Optional(Words(COMPANY_TRANSFER_STATES)),
    }),
    response: listOf(CompanyTransferView),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: base,
    summary: `Offers at most ${TRANSFER_MOST} devices to whichever company is told the code, which is shown here and never again`,
    audit: 'company_transfer.offer',
    status: 201,
    body: Type.Object(
      {
        target: BatchTarget,
        withHistory: Type.Optional(
          Type.Boolean({
            description: 'Values, events and connections go along; false: the taker sees nothing from before',
          }),
        ),
        withTriggers: Type.Optional(
          Type.Boolean({
            description: 'Triggers that name only these devices are made in the company that takes; false',
          }),
        ),
        note: Type.Optional(Type.String({ maxLength: 500 })),
        hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, description: 'How long the code is good; 72' })),
      },
      closed,
    ),
    response: Type.Object({ ...CompanyTransferView.properties, code: Type.String() }),
  }),
  find: route({
    ...write,
    method: 'POST',
    path: `${base}/find`,
    summary: 'What the offer with a code holds; changes nothing',
    audit: { none: 'changes nothing' },
    body: Type.Object({ code: Code }, closed),
    response: TransferOffer,
  }),
  accept: route({
    ...write,
    method: 'POST',
    path: `${base}/accept`,
    summary:
      'Takes the devices of an offer as a task. Each product is one of the caller’s company with the same kind of connection, or is copied',
    audit: 'company_transfer.accept',
    status: 202,
    body: Type.Object(
      {
        code: Code,
        products: Type.Array(
          Type.Object(
            { from: Id, to: Nullable({ ...Id, description: 'null: a copy of the product is made' }) },
            closed,
          ),
          { maxItems: 1000 },
        ),
        groupId: Type.Optional(Nullable(Id)),
      },
      closed,
    ),
    response: CompanyTransferView,
  }),
  get: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'One transfer',
    params: IdParams,
    response: CompanyTransferView,
  }),
  devices: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}/devices`,
    summary: 'Devices of a transfer, in the order in which they move',
    params: IdParams,
    query: Type.Object({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      state: Type.Optional(Words(TRANSFER_ITEM_STATES)),
    }),
    response: listOf(TransferItemView),
  }),
  withdraw: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/withdraw`,
    summary: 'Takes back an offer that nobody accepted yet',
    audit: 'company_transfer.withdraw',
    params: IdParams,
    response: CompanyTransferView,
  }),
}
