import type { FeatureUse } from '@thingwright/contracts/thing-models.contract'
import { sql } from '../../lib/sql/statement.ts'
import { collectWords, type ProductUsage, USE_EXAMPLES } from '../products/index.ts'

const MOST_TEMPLATES = 1_000

const TEMPLATE_USAGE = sql<{
  id: string
  name: string
  body: unknown
}>`select id, name, body from command_templates where product_id = $1 order by place, id limit ${MOST_TEMPLATES}`

/** Command templates whose body names a part of the product's model. */
export const templateUsage: ProductUsage = async (scope, { id }, features) => {
  const { rows } = await scope.run(TEMPLATE_USAGE, [id])
  const uses = new Map<string, FeatureUse>()
  for (const row of rows) {
    const words = new Map<string, number>()
    collectWords(row.body, words)
    for (const { of, identifier } of features) {
      if (!words.has(identifier)) continue
      const key = `${of} ${identifier}`
      const use = uses.get(key) ?? { kind: 'command_template', of, identifier, count: 0, examples: [] }
      uses.set(key, use)
      use.count++
      if (use.examples.length < USE_EXAMPLES) use.examples.push({ id: row.id, name: row.name })
    }
  }
  return [...uses.values()]
}
