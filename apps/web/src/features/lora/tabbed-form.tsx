import { Button } from 'antd'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { visibleFields } from '../../ui/schema-form/field.ts'
import { FieldView } from '../../ui/schema-form/field-view.tsx'
import { FormAlert, useFormSubmit } from '../../ui/schema-form/form-drawer.tsx'
import formCss from '../../ui/schema-form/schema-form.module.css'
import { useUnsavedGuard } from '../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts'
import { TabBar } from '../../ui/tab-bar.tsx'
import css from './lora.module.css'

/** A form in tabs. A complaint about a field that is not to be seen opens its tab. */
export function TabbedForm<Tab extends string>({
  label,
  tabs,
  tabLabel,
  fields,
  initial,
  readOnly,
  submitText,
  beside,
  onValues,
  onSubmit,
  onCancel,
}: {
  label: string
  tabs: readonly Tab[]
  tabLabel: (tab: Tab) => string
  fields: Record<Tab, readonly Field[]>
  initial: Values
  readOnly: boolean
  submitText: string
  /** Under the fields of a tab. */
  beside?: (tab: Tab, values: Values, set: (key: string, value: unknown) => void) => ReactNode
  onValues?: (values: Values) => void
  onSubmit: (values: Values) => Promise<unknown>
  onCancel: () => void
}) {
  const { t } = useTranslation('lora')
  const [tab, setTab] = useState<Tab>(tabs[0]!)
  const all = useMemo(() => tabs.flatMap(name => fields[name]), [tabs, fields])
  const form = useSchemaForm(all, initial)
  const [done, setDone] = useState(false)
  const guard = useUnsavedGuard(form.dirty && !done && !readOnly)
  const { busy, failure, submit } = useFormSubmit(form, async values => {
    setDone(true)
    try {
      await onSubmit(values)
    } catch (error) {
      setDone(false)
      throw error
    }
  })
  const tell = useRef(onValues)
  tell.current = onValues
  useEffect(() => tell.current?.(form.values), [form.values])

  const complained = (name: Tab) =>
    [...form.complaints.keys()].some(path =>
      fields[name].some(({ key }) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`)),
    )
  const [asked, setAsked] = useState(0)
  const shownFor = useRef(0)
  useEffect(() => {
    if (asked === shownFor.current || form.complaints.size === 0) return
    shownFor.current = asked
    if (complained(tab)) return
    const first = tabs.find(complained)
    if (first !== undefined) setTab(first)
  })
  return (
    <form
      className={css.tabbed}
      onSubmit={event => {
        event.preventDefault()
        setAsked(n => n + 1)
        void submit()
      }}
    >
      <TabBar
        label={label}
        items={tabs.map(name => ({
          key: name,
          label: complained(name) ? <span className={css.wrongTab}>{tabLabel(name)}</span> : tabLabel(name),
        }))}
        active={tab}
        onChange={key => setTab(key as Tab)}
      />
      <div className={css.tabBody} role="tabpanel" aria-label={tabLabel(tab)}>
        <div className={formCss.form}>
          {visibleFields(fields[tab], form.values).map(field => (
            <FieldView
              key={field.key}
              field={field}
              path={field.key}
              value={form.values[field.key]}
              onChange={value => form.set(field.key, value)}
              onLeave={() => form.blur(field.key)}
              form={form}
              disabled={busy || readOnly}
            />
          ))}
        </div>
        {beside?.(tab, form.values, form.set)}
      </div>
      {failure && <FormAlert error={failure.error} rest={failure.rest} />}
      <div className={css.foot}>
        <Button onClick={() => guard.ask(onCancel)}>{readOnly ? t('back') : t('cancel')}</Button>
        {!readOnly && (
          <Button type="primary" htmlType="submit" loading={busy}>
            {submitText}
          </Button>
        )}
      </div>
      {guard.dialog}
    </form>
  )
}
