import { memo, type ReactNode, useDeferredValue, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import css from '../messages.module.css'
import { OwnLink } from '../own-link.tsx'
import { addressElsewhere, ownPage } from '../own-page.ts'
import { visible } from '../visible.ts'
import { asText } from './as-text.ts'
import { blocksOf } from './blocks.ts'
import { CodeBox } from './code-box.tsx'
import { settled } from './settled.ts'

/** Elements that fetch something or take input are not drawn, whatever made them. */
const REFUSED = ['img', 'picture', 'source', 'input']
const SCHEMA = { ...defaultSchema, tagNames: (defaultSchema.tagNames ?? []).filter(name => !REFUSED.includes(name)) }

type HastNode = NonNullable<ExtraProps['node']>['children'][number]

const textOf = (node: HastNode): string =>
  node.type === 'text' ? node.value : 'children' in node ? node.children.map(textOf).join('') : ''

const COMPONENTS: Components = {
  a: ({ href, children, node }) => {
    if (ownPage(href) !== null) return <OwnLink to={href}>{children}</OwnLink>
    const elsewhere = addressElsewhere(href)
    if (elsewhere === null) return <span>{children}</span>
    // Where it leads is always to be read: nobody is led away by what some device is called.
    const label = node?.children.map(textOf).join('') ?? ''
    return (
      <span>
        {label === href || label === elsewhere ? null : <>{children} </>}
        <a href={elsewhere} target="_blank" rel="noopener noreferrer nofollow external" dir="ltr">
          {elsewhere}
        </a>
      </span>
    )
  },
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h5: ({ children }) => <h4>{children}</h4>,
  h6: ({ children }) => <h4>{children}</h4>,
  table: ({ children }) => <WideTable>{children}</WideTable>,
  pre: ({ node }) => <Code node={node} />,
}

function WideTable({ children }: { children: ReactNode }) {
  const { t } = useTranslation('messages')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
    <section className={css.wide} tabIndex={0} aria-label={t('table')}>
      <table>{children}</table>
    </section>
  )
}

function Code({ node }: { node: ExtraProps['node'] }) {
  const { t } = useTranslation('messages')
  const code = node?.children[0]
  const names = code?.type === 'element' ? code.properties.className : undefined
  const language = Array.isArray(names) ? /^language-(.+)$/.exec(String(names[0]))?.[1] : undefined
  return (
    <CodeBox
      text={node?.children.map(textOf).join('').replace(/\n$/, '') ?? ''}
      language={language}
      label={t('code')}
    />
  )
}

/** One piece; parsed again only when its own text changes. */
const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, asText]}
      rehypePlugins={[[rehypeSanitize, SCHEMA]]}
      components={COMPONENTS}
    >
      {text}
    </ReactMarkdown>
  )
})

/** Markdown of an answer: our own elements only, links to our own pages, and to others with their whole address. `arriving`: more of it is on its way. */
export function Markdown({ text, arriving = false }: { text: string; arriving?: boolean }) {
  // A long piece takes longer than a frame: those in between are left out, and typing stays quick. What says that it is
  // finished has all of it.
  const later = useDeferredValue(text)
  const now = arriving ? later : text
  const blocks = useMemo(() => {
    const found = blocksOf(visible(now))
    const last = found.pop()
    if (last !== undefined) found.push(arriving ? settled(last) : last)
    return found
  }, [now, arriving])
  return (
    <div className={css.markdown} dir="auto">
      {blocks.map((block, at) => (
        <Block key={at} text={block} />
      ))}
    </div>
  )
}
