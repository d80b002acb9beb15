import type { ReactNode } from 'react'
import { CodeBlock } from '../code-block.tsx'
import css from '../public-pages.module.css'
import { type Block, parseInline } from './parse-markdown.ts'

/** Draws a parsed document. @param level of its outermost heading on this page */
export function Markdown({ blocks, level = 2 }: { blocks: readonly Block[]; level?: number }) {
  return (
    <div className={css.markdown}>
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} level={level} />
      ))}
    </div>
  )
}

function BlockView({ block, level }: { block: Block; level: number }) {
  switch (block.kind) {
    case 'heading': {
      const Heading = `h${Math.min(6, block.level + level - 1)}` as 'h2'
      return <Heading id={block.id}>{inline(block.text)}</Heading>
    }
    case 'paragraph':
      return <p>{inline(block.text)}</p>
    case 'quote':
      return <blockquote>{inline(block.text)}</blockquote>
    case 'code':
      return <CodeBlock text={block.text} />
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List>
          {block.items.map((item, at) => (
            <li key={at}>{inline(item)}</li>
          ))}
        </List>
      )
    }
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
        <section className={css.tableScroll} tabIndex={0} aria-label={block.head.filter(Boolean).join(', ')}>
          <table>
            {block.head.some(cell => cell !== '') && (
              <thead>
                <tr>
                  {block.head.map((cell, at) => (
                    <th key={at}>{inline(cell)}</th>
                  ))}
                </tr>
              </thead>
            )}
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )
  }
}

function inline(text: string): ReactNode {
  return parseInline(text).map((part, at) => {
    if (part.kind === 'code') return <code key={at}>{part.text}</code>
    if (part.kind === 'strong') return <strong key={at}>{part.text}</strong>
    if (part.kind === 'emphasis') return <em key={at}>{part.text}</em>
    if (part.kind === 'link')
      return (
        <a key={at} href={part.href} {...(part.href.startsWith('http') ? { target: '_blank', rel: 'noreferrer' } : {})}>
          {part.text}
        </a>
      )
    return part.text
  })
}
