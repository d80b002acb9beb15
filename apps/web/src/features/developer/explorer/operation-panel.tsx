import { Segmented } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import type { Operation, Parameter, Schema } from '../../../ui/api-docs/openapi.ts'
import { draftOf, requestOf } from '../../../ui/api-docs/request.ts'
import { LANGUAGE_NAMES, LANGUAGES, type Language, sample } from '../../../ui/api-docs/samples.ts'
import { SchemaTable } from '../../../ui/api-docs/schema-table.tsx'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { CodeBox } from '../components/code-box.tsx'
import css from '../developer.module.css'
import own from './explorer.module.css'
import { Method } from './operation-list.tsx'
import { TryIt } from './try-it.tsx'

let language: Language = 'curl'

/** One interface: what it is for, a form to try it, the same request in six languages, its shapes. */
export function OperationPanel({ operation }: { operation: Operation }) {
  const { t } = useTranslation('developer')
  const [draft, setDraft] = useState(() => draftOf(operation))
  const [shown, setShown] = useState<Language>(language)
  const request = useMemo(() => requestOf(operation, draft, location.origin), [operation, draft])
  const text = useMemo(() => sample(shown, request), [shown, request])
  const words = {
    field: t('explorer.field'),
    type: t('explorer.type'),
    meaning: t('explorer.meaning'),
    required: t('explorer.required'),
  }
  const parameters = (where: Parameter['in']) => operation.parameters.filter(each => each.in === where)
  const right =
    operation.permission === null
      ? t('explorer.open')
      : operation.permission === 'signed-in'
        ? t('explorer.signedIn')
        : operation.permission
  return (
    <div className={own.operationView} data-testid="operation">
      <Panel>
        <header className={own.operationHead}>
          <h2>{operation.words[locale()].summary || operation.path}</h2>
          <p>
            <Method method={operation.method} />
            <CopyId value={operation.path} />
            <span className={own.right} title={t('explorer.rightTitle')}>
              {right}
            </span>
          </p>
        </header>
        <TryIt operation={operation} draft={draft} onDraft={setDraft} />
      </Panel>
      <div className={own.beside}>
        <Panel title={t('explorer.samples')} hint={t('explorer.samplesHint')}>
          <Segmented
            aria-label={t('explorer.language')}
            size="small"
            value={shown}
            options={LANGUAGES.map(value => ({ value, label: LANGUAGE_NAMES[value] }))}
            onChange={value => {
              language = value
              setShown(value)
            }}
          />
          <CodeBox label={LANGUAGE_NAMES[shown]} text={text} tall />
        </Panel>
        <Panel title={t('explorer.shapes')}>
          {parameters('path').length > 0 && (
            <SchemaTable title={t('explorer.inPath')} schema={asSchema(parameters('path'))} words={words} />
          )}
          {parameters('query').length > 0 && (
            <SchemaTable title={t('explorer.inQuery')} schema={asSchema(parameters('query'))} words={words} />
          )}
          {operation.body && (
            <SchemaTable
              title={t('explorer.body', { type: operation.body.contentType })}
              schema={operation.body.schema}
              words={words}
            />
          )}
          {operation.reply.schema ? (
            <SchemaTable
              title={t('explorer.reply', { status: operation.reply.status })}
              schema={operation.reply.schema}
              words={words}
            />
          ) : (
            <p className={css.quiet}>{t('explorer.replyFile')}</p>
          )}
        </Panel>
      </div>
    </div>
  )
}

function asSchema(list: readonly Parameter[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      list.map(({ name, schema, description }) => [name, { ...schema, ...(description ? { description } : {}) }]),
    ),
    required: list.filter(parameter => parameter.required).map(parameter => parameter.name),
  }
}
