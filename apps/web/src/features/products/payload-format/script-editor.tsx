import { Button, Spin } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeInput } from './fields.tsx'
import css from './format.module.css'
import { type FormatBody, SCRIPT_TEMPLATES } from './format-draft.ts'
import { RowsEditor } from './rows-editor.tsx'

const CodeEditor = lazy(async () => ({ default: (await import('../../../ui/code-editor/code-editor.tsx')).CodeEditor }))
const TEMPLATES = ['chirpstack', 'alibaba', 'plain'] as const

/** JavaScript that reads and writes frames, with values it may use. */
export function ScriptEditor({
  format,
  disabled,
  onChange,
}: {
  format: FormatBody
  disabled: boolean
  onChange: (format: FormatBody) => void
}) {
  const { t } = useTranslation('payload-format')
  const source = format.source ?? ''
  const variables = Object.entries(format.variables ?? {}).map(([name, value]) => ({ name, value }))
  const put = (part: Partial<FormatBody>) => onChange({ ...format, ...part })
  return (
    <>
      <p className={css.lead}>{t('script.text')}</p>
      {!disabled && (
        <div className={css.bar}>
          <span className={css.quiet}>{t('script.startFrom')}</span>
          {TEMPLATES.map(name => (
            <Button key={name} size="small" onClick={() => put({ source: SCRIPT_TEMPLATES[name] })}>
              {t(`script.template.${name}`)}
            </Button>
          ))}
        </div>
      )}
      <Suspense fallback={<Spin />}>
        <CodeEditor
          label={t('kind.script')}
          value={source}
          readOnly={disabled}
          onChange={next => put({ source: next })}
        />
      </Suspense>
      <p className={css.quiet}>{t('script.bounds')}</p>
      <h3 className={css.sub}>{t('script.variables')}</h3>
      <RowsEditor<{ name: string; value: string }>
        label={t('script.variables')}
        rows={variables}
        max={50}
        disabled={disabled}
        emptyText={t('script.noVariables')}
        addText={t('script.addVariable')}
        make={rows => ({ name: `name${rows.length + 1}`, value: '' })}
        onChange={rows => {
          const { variables: _, ...rest } = format
          onChange(
            rows.length === 0
              ? rest
              : { ...rest, variables: Object.fromEntries(rows.map(({ name, value }) => [name, value])) },
          )
        }}
        columns={[
          {
            key: 'name',
            title: t('script.name'),
            width: 240,
            cell: (row, set, at) => (
              <CodeInput
                label={`${t('script.name')} ${at + 1}`}
                value={row.name}
                maxLength={64}
                disabled={disabled}
                onChange={name => set({ name })}
              />
            ),
          },
          {
            key: 'value',
            title: t('script.value'),
            cell: (row, set, at) => (
              <CodeInput
                label={`${t('script.value')} ${at + 1}`}
                value={row.value}
                maxLength={1000}
                disabled={disabled}
                onChange={value => set({ value })}
              />
            ),
          },
        ]}
      />
    </>
  )
}
