import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Ok, Version, Words } from './common.ts'
import {
  INVOICE_BASES,
  INVOICE_FILE_BYTES,
  INVOICE_STAGES,
  INVOICE_TYPES,
  ORDER_KINDS,
  QUALIFICATION_STATES,
  RED_REASONS,
} from './money.words.ts'
import { route } from './route.ts'
import { Fen } from './wallets.contract.ts'

const closed = { additionalProperties: false } as const
const tag = 'Invoices'
const base = '/api/v1/invoices'
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
const read = { tag, permission: 'money:read', wholeCompany: true } as const
const write = { tag, permission: 'money:write', wholeCompany: true } as const

export const InvoiceFileView = Type.Object({
  id: Id,
  name: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  createdAt: IsoTime,
})
export type InvoiceFileView = Static<typeof InvoiceFileView>

export const InvoiceBuyer = Type.Object({
  kind: Words(['company', 'person']),
  title: Type.String(),
  taxNo: Type.String(),
  address: Type.String(),
  phone: Type.String(),
  bank: Type.String(),
  bankAccount: Type.String(),
})
export type InvoiceBuyer = Static<typeof InvoiceBuyer>

const InvoiceAddress = Type.Object({ receiver: Type.String(), phone: Type.String(), text: Type.String() })

export const InvoiceRow = Type.Object({
  id: Id,
  no: Type.String(),
  type: Words(INVOICE_TYPES),
  title: Type.String(),
  amountFen: Fen,
  reversedFen: Fen,
  reversingFen: Fen,
  state: Words(INVOICE_STAGES),
  reason: Nullable(Type.String()),
  redOf: Nullable(Id),
  redReason: Nullable(Words(RED_REASONS)),
  number: Nullable(Type.String({ description: 'What the tax office calls it' })),
  files: Type.Integer(),
  createdAt: IsoTime,
  issuedAt: Nullable(IsoTime),
  version: Type.Integer(),
})
export type InvoiceRow = Static<typeof InvoiceRow>

export const InvoiceView = Type.Object({
  ...InvoiceRow.properties,
  buyer: InvoiceBuyer,
  category: Type.String(),
  remark: Type.String(),
  email: Type.String(),
  address: Nullable(InvoiceAddress),
  code: Nullable(Type.String()),
  logistics: Nullable(Type.Object({ company: Type.String(), no: Type.String() })),
  lines: Type.Array(Type.Object({ orderId: Id, orderNo: Type.String(), amountFen: Fen, releasedFen: Fen })),
  documents: Type.Array(InvoiceFileView),
  history: Type.Array(
    Type.Object({ at: IsoTime, state: Words(INVOICE_STAGES), by: Type.String(), note: Type.String() }),
  ),
  askedBy: Type.String(),
  mayWithdraw: Type.Boolean(),
  mayReverse: Type.Boolean(),
})
export type InvoiceView = Static<typeof InvoiceView>

export const InvoiceSource = Type.Object({
  orderId: Id,
  orderNo: Type.String(),
  kind: Words(ORDER_KINDS),
  name: Type.String(),
  paidFen: Fen,
  refundedFen: Fen,
  invoicedFen: Fen,
  openFen: Fen,
  paidAt: IsoTime,
})
export type InvoiceSource = Static<typeof InvoiceSource>

export const InvoiceAccount = Type.Object({
  basis: Words(INVOICE_BASES),
  openFen: Fen,
  limitFen: Type.Integer({ description: 'What was really paid and is not invoiced, in fen: gifts are not invoiced' }),
  minFen: Fen,
  version: Type.Integer(),
})
export type InvoiceAccount = Static<typeof InvoiceAccount>

export const InvoiceTitleView = Type.Object({
  id: Id,
  kind: Words(['company', 'person']),
  title: Type.String(),
  taxNo: Type.String(),
  email: Type.String(),
  isDefault: Type.Boolean(),
})
export type InvoiceTitleView = Static<typeof InvoiceTitleView>

export const QualificationView = Type.Object({
  id: Id,
  title: Type.String(),
  taxNo: Type.String(),
  address: Type.String(),
  phone: Type.String(),
  bank: Type.String(),
  bankAccount: Type.String(),
  state: Words(QUALIFICATION_STATES),
  reason: Nullable(Type.String()),
  isDefault: Type.Boolean(),
  files: Type.Array(InvoiceFileView),
  submittedBy: Type.String(),
  submittedAt: IsoTime,
  decidedAt: Nullable(IsoTime),
  version: Type.Integer(),
})
export type QualificationView = Static<typeof QualificationView>

const qualification = {
  title: Text(100),
  taxNo: Type.String({
    minLength: 15,
    maxLength: 20,
    description: 'Unified social credit code of 18 characters; 15 or 20 before',
  }),
  address: Text(200),
  phone: Text(32),
  bank: Text(100),
  bankAccount: Type.String({ minLength: 6, maxLength: 40, pattern: '^[0-9 -]+$' }),
  fileIds: Type.Array(Id, {
    minItems: 1,
    maxItems: 5,
    uniqueItems: true,
    description: 'Licence, proof of a general taxpayer',
  }),
}

const filters = {
  type: Type.Optional(Words(INVOICE_TYPES)),
  state: Type.Optional(Words(INVOICE_STAGES)),
  red: Type.Optional(Words(['0', '1'])),
  from: Type.Optional(IsoTime),
  to: Type.Optional(IsoTime),
}

export const invoicesContract = {
  list: route({
    ...read,
    method: 'GET',
    path: base,
    summary: 'Invoices that were asked for, the newest first; q: number or title',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(InvoiceRow),
  }),
  export: route({
    ...read,
    method: 'GET',
    path: `${base}/export`,
    summary: 'The same as a file, at most 100,000',
    query: Type.Object({ q: listQuery.q, sort: listQuery.sort, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  account: route({
    ...read,
    method: 'GET',
    path: `${base}/account`,
    summary: 'What the company has invoiced: orders or money paid in, and how much is open',
    response: InvoiceAccount,
  }),
  setAccount: route({
    ...write,
    method: 'PATCH',
    path: `${base}/account`,
    summary: 'Chooses what is invoiced; what is invoiced already is not invoiced again',
    audit: 'invoice.settings',
    body: Type.Object({ basis: Words(INVOICE_BASES), version: Type.Integer({ minimum: 0 }) }, closed),
    example: { body: { basis: 'top_up', version: 0 } },
    response: InvoiceAccount,
  }),
  sources: route({
    ...read,
    method: 'GET',
    path: `${base}/sources`,
    summary: 'Orders with an open amount, the newest first; q: order number',
    query: Type.Object({ ...listQuery }),
    response: listOf(InvoiceSource),
  }),
  addFile: route({
    ...write,
    method: 'POST',
    path: `${base}/files`,
    summary: 'Uploads a document of a qualification (PNG, JPEG, WebP, PDF)',
    audit: 'invoice.file',
    status: 201,
    upload: { maxBytes: INVOICE_FILE_BYTES },
    response: InvoiceFileView,
  }),
  file: route({
    ...read,
    method: 'GET',
    path: `${base}/files/{id}`,
    summary: 'A document of an invoice or a qualification',
    params: IdParams,
    produces: 'application/octet-stream',
    response: Type.Unknown(),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: base,
    summary: 'Asks for an invoice over orders; special ones for an approved qualification only',
    audit: 'invoice.create',
    status: 201,
    body: Type.Object(
      {
        type: Words(INVOICE_TYPES),
        orders: Type.Array(
          Type.Object(
            { orderId: Id, amountFen: Type.Optional(Type.Integer({ minimum: 1, description: 'Absent: all of it' })) },
            closed,
          ),
          { minItems: 1, maxItems: 100 },
        ),
        titleId: Type.Optional({ ...Id, description: 'Of an ordinary one' }),
        qualificationId: Type.Optional(Id),
        category: Type.Optional(Type.String({ maxLength: 100 })),
        remark: Type.Optional(Type.String({ maxLength: 200 })),
        email: Type.Optional(Type.String({ maxLength: 254, pattern: '^$|^[^\\s@<>,;]+@[^\\s@<>,;]+\\.[^\\s@<>,;]+$' })),
        addressId: Type.Optional({ ...Id, description: 'Where a paper one is sent' }),
      },
      closed,
    ),
    response: InvoiceView,
  }),
  get: route({
    ...read,
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'One invoice',
    params: IdParams,
    response: InvoiceView,
  }),
  withdraw: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/withdraw`,
    summary: 'Takes back what nobody has looked at yet; the amount is open again',
    audit: 'invoice.withdraw',
    params: IdParams,
    response: InvoiceView,
  }),
  reverse: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/reverse`,
    summary: 'Asks for a red-letter invoice over a part of it or all of it',
    audit: 'invoice.reverse',
    params: IdParams,
    status: 201,
    body: Type.Object(
      {
        amountFen: Type.Optional(Type.Integer({ minimum: 1, description: 'Absent: all that is not reversed' })),
        reason: Words(RED_REASONS),
        remark: Type.Optional(Type.String({ maxLength: 200 })),
      },
      closed,
    ),
    response: InvoiceView,
  }),
  send: route({
    ...write,
    method: 'POST',
    path: `${base}/{id}/send`,
    summary: 'Mails where the invoice can be downloaded, to its address or another',
    audit: 'invoice.send',
    params: IdParams,
    body: Type.Object(
      { email: Type.Optional(Type.String({ maxLength: 254, pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+\\.[^\\s@<>,;]+$' })) },
      closed,
    ),
    response: InvoiceView,
  }),
}

export const invoiceTitlesContract = {
  list: route({
    ...read,
    method: 'GET',
    path: '/api/v1/invoice-titles',
    summary: 'Whom ordinary invoices name, the default first (at most 50)',
    response: Type.Object({ items: Type.Array(InvoiceTitleView) }),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: '/api/v1/invoice-titles',
    summary: 'Adds a title; of a company with its tax number',
    audit: 'invoice_title.create',
    status: 201,
    body: Type.Object(
      {
        kind: Words(['company', 'person']),
        title: Text(100),
        taxNo: Type.Optional(Type.String({ maxLength: 20 })),
        email: Type.Optional(Type.String({ maxLength: 254 })),
        isDefault: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    example: { body: { kind: 'person', title: 'Anna Example' } },
    response: InvoiceTitleView,
  }),
  remove: route({
    ...write,
    method: 'DELETE',
    path: '/api/v1/invoice-titles/{id}',
    summary: 'Removes a title; invoices keep theirs',
    audit: 'invoice_title.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}

export const invoiceQualificationsContract = {
  list: route({
    ...read,
    method: 'GET',
    path: '/api/v1/invoice-qualifications',
    summary: 'Who may have special VAT invoices, the default first',
    response: Type.Object({ items: Type.Array(QualificationView) }),
  }),
  create: route({
    ...write,
    method: 'POST',
    path: '/api/v1/invoice-qualifications',
    summary: 'Hands in the six facts and the documents; an operator looks at them',
    audit: 'invoice_qualification.create',
    status: 201,
    body: Type.Object(qualification, closed),
    response: QualificationView,
  }),
  update: route({
    ...write,
    method: 'PATCH',
    path: '/api/v1/invoice-qualifications/{id}',
    summary: 'Hands it in again with other facts; it is looked at anew',
    audit: 'invoice_qualification.update',
    params: IdParams,
    body: Type.Object({ ...qualification, version: Version }, closed),
    response: QualificationView,
  }),
  choose: route({
    ...write,
    method: 'POST',
    path: '/api/v1/invoice-qualifications/{id}/default',
    summary: 'Makes it the one that is offered first',
    audit: 'invoice_qualification.choose',
    params: IdParams,
    response: QualificationView,
  }),
  expire: route({
    ...write,
    method: 'DELETE',
    path: '/api/v1/invoice-qualifications/{id}',
    summary: 'Ends it: no invoice names it any more',
    audit: 'invoice_qualification.expire',
    params: IdParams,
    response: QualificationView,
  }),
}

export const DeskInvoice = Type.Object({ ...InvoiceRow.properties, tenantId: Id, companyName: Type.String() })
export type DeskInvoice = Static<typeof DeskInvoice>
const DeskInvoiceView = Type.Object({ ...InvoiceView.properties, tenantId: Id, companyName: Type.String() })
export type DeskInvoiceView = Static<typeof DeskInvoiceView>

export const INVOICE_ACTIONS = ['accept', 'reject', 'issue', 'fail', 'ship', 'void'] as const

export const invoiceDeskContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/operator/invoices',
    tag: 'Operator',
    summary: 'Invoices of every company, the newest first',
    permission: 'operator:use',
    query: Type.Object({ ...listQuery, ...filters, tenantId: Type.Optional(Id) }),
    response: listOf(DeskInvoice),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/operator/invoices/{id}',
    tag: 'Operator',
    summary: 'An invoice of a company',
    permission: 'operator:use',
    params: IdParams,
    response: DeskInvoiceView,
  }),
  addFile: route({
    method: 'POST',
    path: '/api/v1/operator/invoices/{id}/files',
    tag: 'Operator',
    summary: 'Uploads the PDF, OFD or XML that the tax office issued',
    permission: 'operator:write',
    audit: 'invoice.file',
    status: 201,
    params: IdParams,
    upload: { maxBytes: INVOICE_FILE_BYTES },
    response: InvoiceFileView,
  }),
  file: route({
    method: 'GET',
    path: '/api/v1/operator/invoices/{id}/files/{fileId}',
    tag: 'Operator',
    summary: 'A document of an invoice',
    permission: 'operator:use',
    params: Type.Object({ id: Id, fileId: Id }),
    produces: 'application/octet-stream',
    response: Type.Unknown(),
  }),
  act: route({
    method: 'POST',
    path: '/api/v1/operator/invoices/{id}/act',
    tag: 'Operator',
    summary: 'Accepts, refuses, issues, notes a failure or the shipment, or voids a paper one in its month',
    permission: 'operator:write',
    audit: 'invoice.process',
    params: IdParams,
    body: Type.Object(
      {
        action: Words(INVOICE_ACTIONS),
        reason: Type.Optional(Type.String({ maxLength: 200 })),
        number: Type.Optional(Type.String({ maxLength: 20, pattern: '^[0-9]{8,20}$' })),
        code: Type.Optional(Type.String({ maxLength: 12, pattern: '^[0-9]{10,12}$' })),
        logistics: Type.Optional(Type.Object({ company: Text(64), no: Text(64) }, closed)),
        version: Version,
      },
      closed,
    ),
    response: DeskInvoiceView,
  }),
}
