import { type Static, Type } from 'typebox'
import { IsoTime, Nullable, Ok } from './common.ts'
import { route } from './route.ts'

export const ConsentView = Type.Object({
  document: Type.String(),
  version: Type.String(),
  at: IsoTime,
  ip: Nullable(Type.String()),
})
export type ConsentView = Static<typeof ConsentView>

export const consentsContract = {
  mine: route({
    method: 'GET',
    path: '/api/v1/consents',
    tag: 'Agreements',
    summary: 'What the caller agreed to, newest first, and what has a newer version since',
    permission: 'signed-in',
    anyAccountState: true,
    response: Type.Object({
      items: Type.Array(ConsentView),
      due: Type.Array(
        Type.Object({
          document: Type.String(),
          version: Type.String({ description: 'In force now' }),
          agreedVersion: Type.String({ description: 'The newest that the caller agreed to' }),
        }),
      ),
    }),
  }),
  give: route({
    method: 'POST',
    path: '/api/v1/consents',
    tag: 'Agreements',
    summary: 'Agrees to the version in force',
    permission: 'signed-in',
    anyAccountState: true,
    audit: 'consent.give',
    status: 201,
    body: Type.Object(
      { document: Type.String({ maxLength: 64 }), version: Type.String({ maxLength: 32 }) },
      { additionalProperties: false },
    ),
    response: Ok,
  }),
}
