import css from './api-docs.module.css'
import { inner, type Schema, typeWord } from './openapi.ts'

/** Deeper than this a shape is shown as its type only. */
const MAX_DEPTH = 5

interface Line {
  path: string
  depth: number
  type: string
  required: boolean
  description: string
}

/** The words of the table; its callers have texts of their own, so that a public page needs none of the console's. */
export interface SchemaWords {
  field: string
  type: string
  meaning: string
  required: string
}

/** The fields of a shape as a table; inner objects are indented below their field. */
export function SchemaTable({ title, schema, words }: { title: string; schema: Schema; words: SchemaWords }) {
  const lines = linesOf(schema, 0, '')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
    <section className={css.tableScroll} tabIndex={0} aria-label={title}>
      <table className={css.schema}>
        <caption>{title}</caption>
        {lines.length === 0 ? (
          <tbody>
            <tr>
              <td>
                <code>{typeWord(schema)}</code>
              </td>
            </tr>
          </tbody>
        ) : (
          <>
            <thead>
              <tr>
                <th>{words.field}</th>
                <th>{words.type}</th>
                <th>{words.meaning}</th>
              </tr>
            </thead>
            <tbody>
              {lines.map(line => (
                <tr key={line.path}>
                  <td style={{ paddingInlineStart: 12 + line.depth * 20 }}>
                    <code>{line.path.split('.').at(-1)}</code>
                    {line.required && (
                      <span className={css.must} title={words.required}>
                        *<span className={css.hidden}> {words.required}</span>
                      </span>
                    )}
                  </td>
                  <td>
                    <code>{line.type}</code>
                  </td>
                  <td>{line.description}</td>
                </tr>
              ))}
            </tbody>
          </>
        )}
      </table>
    </section>
  )
}

function linesOf(schema: Schema, depth: number, above: string): Line[] {
  const object = inner(schema)
  if (!object || depth > MAX_DEPTH) return []
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = above === '' ? name : `${above}.${name}`
    return [
      {
        path,
        depth,
        type: typeWord(field),
        required: object.required?.includes(name) ?? false,
        description: field.description ?? '',
      },
      ...linesOf(field, depth + 1, path),
    ]
  })
}
