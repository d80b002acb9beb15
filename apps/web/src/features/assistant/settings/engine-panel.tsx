import { Alert, Button } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, call, type Reply } from '../../../lib/api-client.ts'
import { isSilent } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Panel } from '../../../ui/panel.tsx'
import type { Values } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { engineFields, type Preset } from './engine-fields.tsx'
import { type Settings, useSettingsChanged } from './hooks.ts'
import css from './settings.module.css'
import { formValues, toBody } from './settings-body.ts'

/** Which engine answers, and the company's own model; it can be tried before it is saved. */
export function EnginePanel({
  settings,
  mayWrite,
  reload,
}: {
  settings: Settings
  mayWrite: boolean
  /** Reads what is stored now; undefined when it could not be read. */
  reload: () => Promise<Settings | undefined>
}) {
  const { t } = useTranslation('settings')
  const setSettings = useAct('assistant.setSettings', { done: useSettingsChanged() })
  const pick = useRef<(preset: Preset) => void>(() => undefined)
  const fields = useMemo(() => engineFields(t, settings, preset => pick.current(preset)), [t, settings])
  const form = useSchemaForm(fields, formValues(settings))
  // What the form began with: what others save meanwhile must not take away what is being typed.
  const [version, setVersion] = useState(settings.version)
  const begin = (from: Settings) => {
    form.reset(formValues(from))
    setVersion(from.version)
  }
  const behind = version !== settings.version
  useEffect(() => {
    if (!behind || form.dirty) return
    form.reset(formValues(settings))
    setVersion(settings.version)
  }, [behind, form.dirty, form.reset, settings])
  pick.current = ({ baseUrl, model }) => {
    form.set('baseUrl', baseUrl)
    if (model !== '') form.set('model', model)
  }
  const { busy, failure, submit, clearFailure } = useFormSubmit(form, async values => {
    const next = await setSettings.send({ body: { ...toBody(values), version } })
    begin(next)
    notify.success(t('saved'))
  })
  const guard = useUnsavedGuard(form.dirty && !busy)
  const asksModel = form.values.engine === 'own' || form.values.engine === 'installation'
  return (
    <Panel title={t('engine.panel')} hint={t('engine.hint')}>
      <form
        className={css.form}
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        {failure && isConflict(failure.error) && (
          <Button
            className={css.alert ?? ''}
            onClick={async () => {
              const stored = await reload()
              if (!stored) return
              clearFailure()
              begin(stored)
            }}
          >
            {t('loadStored')}
          </Button>
        )}
        {!mayWrite && <Alert type="info" showIcon className={css.alert ?? ''} title={t('readOnly')} />}
        <SchemaForm form={form} disabled={busy || !mayWrite} />
        {mayWrite && (
          <div className={css.foot}>
            <Button type="primary" htmlType="submit" loading={busy} disabled={!form.dirty}>
              {t('save')}
            </Button>
            {asksModel && <ModelTest values={form.values} check={form.submit} refuse={form.refuse} />}
          </div>
        )}
      </form>
      {guard.dialog}
    </Panel>
  )
}

const isConflict = (error: unknown) => error instanceof ApiError && error.code === 'version.conflict'

type Result = { values: Values } & ({ answer: Reply<'assistant.testModel'> } | { error: unknown })

/** Asks the model one short question with what the form says now. */
function ModelTest({
  values,
  check,
  refuse,
}: {
  values: Values
  check: () => Values | null
  refuse: (error: unknown) => string[] | null
}) {
  const { t } = useTranslation('settings')
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<Result | null>(null)
  const test = async () => {
    const checked = check()
    if (checked === null) return
    setBusy(true)
    setResult(null)
    try {
      setResult({ values, answer: await call('assistant.testModel', { body: toBody(checked) }) })
    } catch (error) {
      if (!isSilent(error) && refuse(error) !== null) setResult({ values, error })
    } finally {
      setBusy(false)
    }
  }
  // What was tried before something was changed says nothing of what stands there now.
  const shown = result?.values === values ? result : null
  return (
    <>
      <Button loading={busy} onClick={() => void test()}>
        {t('test.run')}
      </Button>
      <div className={css.result} role="status" data-testid="test-result">
        {shown && 'error' in shown && <FormAlert error={shown.error} />}
        {shown && 'answer' in shown && (
          <Alert
            showIcon
            type={!shown.answer.ok ? 'error' : shown.answer.toolCalls ? 'success' : 'warning'}
            title={shown.answer.ok ? t('test.ok', { ms: formatNumber(shown.answer.durationMs) }) : t('test.failed')}
            description={
              <>
                <span className={css.said} dir="auto">
                  {shown.answer.text}
                </span>
                {shown.answer.ok && !shown.answer.toolCalls && <p>{t('test.noTools')}</p>}
              </>
            }
          />
        )}
      </div>
    </>
  )
}
