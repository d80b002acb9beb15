import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import protocolText from '../../../../../../docs/device-protocol.md?raw'
import { locale } from '../../../lib/i18n.ts'
import {
  groupsOf,
  type OpenApiDocument,
  type Operation,
  type OperationGroup,
  search,
} from '../../../ui/api-docs/openapi.ts'
import { draftOf, requestOf } from '../../../ui/api-docs/request.ts'
import { sample } from '../../../ui/api-docs/samples.ts'
import { SchemaTable } from '../../../ui/api-docs/schema-table.tsx'
import { CodeBlock } from '../code-block.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { parseMarkdown } from '../markdown/parse-markdown.ts'
import { type Anchor, PageFrame } from '../page-frame.tsx'
import css from '../public-pages.module.css'

type State = { kind: 'loading' } | { kind: 'failed' } | { kind: 'there'; groups: OperationGroup[]; version: string }

/** The interfaces of this very installation, read from its OpenAPI document, and the device protocol. */
export function ApiPage() {
  const { t } = useTranslation('public-pages')
  const [state, setState] = useState<State>({ kind: 'loading' })
  const [typed, setTyped] = useState('')
  const text = useDeferredValue(typed)
  const load = useCallback(async () => {
    setState({ kind: 'loading' })
    try {
      const response = await fetch('/api/openapi.json')
      if (!response.ok) throw new Error(String(response.status))
      const document = (await response.json()) as OpenApiDocument
      setState({ kind: 'there', groups: groupsOf(document), version: document.info.version })
    } catch {
      setState({ kind: 'failed' })
    }
  }, [])
  useEffect(() => void load(), [load])
  const protocol = useMemo(
    () => parseMarkdown(protocolText, 'device-').filter(block => !(block.kind === 'heading' && block.level === 1)),
    [],
  )
  const groups = state.kind === 'there' ? search(state.groups, text) : []
  const count = groups.reduce((sum, group) => sum + group.operations.length, 0)
  const anchors: Anchor[] = [
    { id: 'start', label: t('api.start') },
    { id: 'interfaces', label: t('api.interfaces') },
    ...groups.map(group => ({ id: group.id, label: group.words[locale()], level: 2 as const })),
    { id: 'device-protocol', label: t('api.device') },
    ...protocol.flatMap(block =>
      block.kind === 'heading' && block.level === 2 ? [{ id: block.id, label: block.text, level: 2 as const }] : [],
    ),
  ]
  const base = location.origin
  return (
    <PageFrame
      title={t('api.title')}
      lead={t('api.lead')}
      anchors={anchors}
      aside={
        <input
          type="search"
          className={css.search}
          value={typed}
          aria-label={t('api.search')}
          placeholder={t('api.search')}
          onChange={event => setTyped(event.target.value)}
        />
      }
    >
      <section aria-labelledby="start">
        <h2 id="start">{t('api.start')}</h2>
        <p>{t('api.startText')}</p>
        <CodeBlock
          text={`TOKEN=$(curl -s -u cli:cli '${base}/oauth/token' \\\n  --data-urlencode grant_type=password \\\n  --data-urlencode username=NAME \\\n  --data-urlencode password=PASSWORD | jq -r .access_token)\n\ncurl '${base}/api/v1/devices?limit=20' \\\n  -H "Authorization: Bearer $TOKEN"`}
        />
        <ul className={css.facts}>
          {(['paging', 'errors', 'idempotency', 'versions'] as const).map(fact => (
            <li key={fact}>
              <b>{t(`api.fact.${fact}.title`)}</b> {t(`api.fact.${fact}.text`)}
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="interfaces">
        <div className={css.rowHead}>
          <h2 id="interfaces">{t('api.interfaces')}</h2>
          <a href="/api/openapi.json" download="openapi.json">
            {t('api.download')}
          </a>
        </div>
        {state.kind === 'loading' && <Skeleton />}
        {state.kind === 'failed' && (
          <div className={css.note} role="alert">
            <p>{t('api.failed')}</p>
            <button type="button" className={css.button} onClick={() => void load()}>
              {t('retry')}
            </button>
          </div>
        )}
        {state.kind === 'there' && (
          <p className={css.count} aria-live="polite">
            {t('api.count', { count, version: state.version })}
          </p>
        )}
        {state.kind === 'there' && count === 0 && (
          <div className={css.note}>
            <p>{t('api.nothing', { text })}</p>
            <button type="button" className={css.button} onClick={() => setTyped('')}>
              {t('api.clear')}
            </button>
          </div>
        )}
        {groups.map(group => (
          <section key={group.id} aria-labelledby={group.id}>
            <h3 id={group.id}>{group.words[locale()]}</h3>
            {group.operations.map(operation => (
              <OperationView key={operation.id} operation={operation} base={base} />
            ))}
          </section>
        ))}
      </section>
      <section aria-labelledby="device-protocol">
        <h2 id="device-protocol">{t('api.device')}</h2>
        <p>{t('api.deviceText')}</p>
        <div lang="en">
          <Markdown blocks={protocol} level={2} />
        </div>
      </section>
    </PageFrame>
  )
}

function OperationView({ operation, base }: { operation: Operation; base: string }) {
  const { t } = useTranslation('public-pages')
  // What is closed is not drawn: there are hundreds.
  const [open, setOpen] = useState(() => location.hash === `#${operation.id}`)
  return (
    <details
      id={operation.id}
      className={css.operation}
      open={open}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className={`${css.method} ${css[operation.method.toLowerCase()] ?? ''}`}>{operation.method}</span>
        <code className={css.path}>{operation.path}</code>
        <span className={css.summary}>{operation.words[locale()].summary}</span>
        <span className={css.right}>
          {operation.permission === null ? t('api.open') : rightWord(operation.permission, t)}
        </span>
      </summary>
      {open && <OperationBody operation={operation} base={base} />}
    </details>
  )
}

const rightWord = (permission: string, t: (key: string) => string) =>
  permission === 'signed-in' ? t('api.signedIn') : permission

function OperationBody({ operation, base }: { operation: Operation; base: string }) {
  const { t } = useTranslation('public-pages')
  const words = {
    field: t('api.field'),
    type: t('api.type'),
    meaning: t('api.meaning'),
    required: t('api.required'),
  }
  const inPath = operation.parameters.filter(parameter => parameter.in === 'path')
  const inQuery = operation.parameters.filter(parameter => parameter.in === 'query')
  const asSchema = (list: typeof inPath) => ({
    type: 'object',
    properties: Object.fromEntries(
      list.map(({ name, schema, description }) => [name, { ...schema, ...(description ? { description } : {}) }]),
    ),
    required: list.filter(parameter => parameter.required).map(parameter => parameter.name),
  })
  return (
    <div className={css.operationBody}>
      <CodeBlock text={sample('curl', requestOf(operation, draftOf(operation), base))} label="curl" />
      {inPath.length > 0 && <SchemaTable title={t('api.inPath')} schema={asSchema(inPath)} words={words} />}
      {inQuery.length > 0 && <SchemaTable title={t('api.inQuery')} schema={asSchema(inQuery)} words={words} />}
      {operation.body && (
        <SchemaTable
          title={t('api.body', { type: operation.body.contentType })}
          schema={operation.body.schema}
          words={words}
        />
      )}
      {operation.reply.schema ? (
        <SchemaTable
          title={t('api.reply', { status: operation.reply.status })}
          schema={operation.reply.schema}
          words={words}
        />
      ) : (
        <p className={css.count}>{t('api.replyFile')}</p>
      )}
    </div>
  )
}

function Skeleton() {
  return (
    <div className={css.skeleton} aria-hidden="true">
      {Array.from({ length: 6 }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  )
}
