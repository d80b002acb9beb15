import { type Static, Type } from 'typebox'
import { Empty, Id, IdParams, IsoTime, listQuery, Ok, Version, Words } from './common.ts'
import { route } from './route.ts'

const facts = {
  receiver: Type.String({ minLength: 1, maxLength: 64 }),
  phone: Type.String({ minLength: 5, maxLength: 32, description: 'Mobile or landline with area code; others with +' }),
  province: Type.String({ minLength: 2, maxLength: 32 }),
  city: Type.String({ minLength: 2, maxLength: 32 }),
  district: Type.String({ minLength: 1, maxLength: 32 }),
  detail: Type.String({ minLength: 1, maxLength: 200 }),
}
const zip = Type.String({ pattern: '^(\\d{6})?$', description: 'Six digits, or nothing' })

export const AddressView = Type.Object({
  id: Id,
  ...facts,
  zip: Type.String(),
  isDefault: Type.Boolean(),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type AddressView = Static<typeof AddressView>

export const ParsedAddress = Type.Object({
  receiver: Type.String(),
  phone: Type.String(),
  province: Type.String(),
  city: Type.String(),
  district: Type.String(),
  detail: Type.String(),
  zip: Type.String(),
})
/** What was found in a pasted line; what was not found is an empty text. */
export type ParsedAddress = Static<typeof ParsedAddress>

/** Fujian, Fuzhou, Gulou: the regions are checked. */
const PLACE = {
  province: '\u798f\u5efa\u7701',
  city: '\u798f\u5dde\u5e02',
  district: '\u9f13\u697c\u533a',
}

export const addressesContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/addresses',
    tag: 'Addresses',
    summary: 'Delivery addresses, the default first (at most 20)',
    permission: 'address:read',
    response: Type.Object({ items: Type.Array(AddressView), limit: Type.Integer() }),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/addresses/export',
    tag: 'Addresses',
    summary: 'The addresses as a table',
    permission: 'address:read',
    query: Type.Object({ format: Words(['csv', 'xlsx']), q: listQuery.q }),
    response: Empty,
    produces: 'text/csv',
  }),
  regions: route({
    method: 'GET',
    path: '/api/v1/addresses/regions',
    tag: 'Addresses',
    summary: 'Provinces and their cities',
    permission: 'address:read',
    response: Type.Object({
      items: Type.Array(Type.Object({ province: Type.String(), cities: Type.Array(Type.String()) })),
    }),
  }),
  parse: route({
    method: 'POST',
    path: '/api/v1/addresses/parse',
    tag: 'Addresses',
    summary: 'Reads a pasted line: name, phone, province, city, district, detail in any usual order',
    permission: 'address:write',
    audit: { none: 'changes nothing' },
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 500 }) }, { additionalProperties: false }),
    example: { body: { text: `Li 13800000000 ${PLACE.province}${PLACE.city}1` } },
    response: ParsedAddress,
  }),
  create: route({
    method: 'POST',
    path: '/api/v1/addresses',
    tag: 'Addresses',
    summary: 'Adds an address; the first one is the default',
    permission: 'address:write',
    audit: 'address.create',
    status: 201,
    body: Type.Object(
      { ...facts, zip: Type.Optional(zip), isDefault: Type.Optional(Type.Boolean()) },
      { additionalProperties: false },
    ),
    example: {
      body: {
        receiver: 'Li',
        phone: '13800000000',
        ...PLACE,
        detail: '1',
      },
    },
    response: AddressView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/addresses/{id}',
    tag: 'Addresses',
    summary: 'Changes an address, or makes it the default',
    permission: 'address:write',
    audit: 'address.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        receiver: Type.Optional(facts.receiver),
        phone: Type.Optional(facts.phone),
        province: Type.Optional(facts.province),
        city: Type.Optional(facts.city),
        district: Type.Optional(facts.district),
        detail: Type.Optional(facts.detail),
        zip: Type.Optional(zip),
        isDefault: Type.Optional(Type.Literal(true, { description: 'Another one stops being it' })),
      },
      { additionalProperties: false },
    ),
    example: { params: { id: '{{create.id}}' }, body: { version: '{{create.version}}', detail: '2' } },
    response: AddressView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/addresses/{id}',
    tag: 'Addresses',
    summary: 'Removes an address; after the default the newest other one is it',
    permission: 'address:write',
    audit: 'address.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
