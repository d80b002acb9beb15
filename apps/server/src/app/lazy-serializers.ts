import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

type BuildSerializer = ReturnType<typeof SerializerSelector>

/**
 * Serialisers of Fastify that are compiled when a route answers for the first time: hundreds of routes with three
 * schemas each would otherwise be half of a second of every start.
 */
export function lazySerializers(): BuildSerializer {
  const select = SerializerSelector()
  return (schemas, options) => {
    const compile = select(schemas, options)
    return route => {
      let serialize: ReturnType<typeof compile> | undefined
      return data => {
        serialize ??= compile(route)
        return serialize(data)
      }
    }
  }
}
