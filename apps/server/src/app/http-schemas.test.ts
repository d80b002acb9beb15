import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { allContracts } from '@thingwright/contracts/all-contracts'
import type { RouteContract } from '@thingwright/contracts/route'
import { describe, expect, it } from 'vitest'
import { validatorFor } from './http-validation.ts'

const contracts = Object.values(allContracts).flatMap(group => Object.values(group) as RouteContract[])

// They are compiled when they are needed first; what is wrong with one must not wait until then.
describe('the schemas of the routes', () => {
  const compile = SerializerSelector()({}, {})

  it.each(contracts.map(contract => [`${contract.method} ${contract.path}`, contract] as const))(
    '%s: can be compiled',
    (_name, contract) => {
      for (const [part, schema] of [
        ['params', contract.params],
        ['querystring', contract.query],
        ['body', contract.body],
      ] as const)
        if (schema) expect(() => validatorFor(part, schema as object)({})).not.toThrow()
      const route = { method: contract.method, url: contract.path, httpStatus: String(contract.status ?? 200) }
      expect(typeof compile({ ...route, schema: contract.response })).toBe('function')
    },
  )
})
