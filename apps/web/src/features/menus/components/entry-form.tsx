import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import type { MenuEntry } from '@thingwright/contracts/menu-editor.contract'
import { Button } from 'antd'
import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../../ui/panel.tsx'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import css from '../menus.module.css'

export function entryFields(t: TFunction<'menus'>): Field[] {
  return [
    { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64, half: true },
    { kind: 'string', key: 'ename', label: t('ename'), maxLength: 64, cleared: '', half: true },
    {
      kind: 'string',
      key: 'path',
      label: t('path'),
      help: t('pathHelp'),
      maxLength: 256,
      mono: true,
      cleared: '',
      pattern: /^(\/(?![/\\])[\w\-./:~%]*|https:\/\/.+)$/,
      patternText: t('pathPattern'),
    },
    {
      kind: 'enum',
      key: 'jump',
      label: t('jump'),
      display: 'segmented',
      options: [
        { value: 0, label: t('jumpInside') },
        { value: 1, label: t('jumpOutside') },
      ],
    },
    { kind: 'bool', key: 'hidden', label: t('hidden'), third: true },
    { kind: 'bool', key: 'operatorOnly', label: t('operatorOnly'), third: true },
    {
      kind: 'custom',
      key: 'icon',
      label: t('icon'),
      help: t('iconHelp'),
      render: input => (
        <div className={css.icon}>
          <ThingIcon svg={String(input.value ?? '')} size={32} />
          <textarea
            id={input.id}
            className={css.svg}
            rows={4}
            maxLength={8192}
            spellCheck={false}
            disabled={input.disabled}
            value={String(input.value ?? '')}
            onChange={event => input.onChange(event.target.value)}
            onBlur={input.onBlur}
          />
        </div>
      ),
    },
    {
      kind: 'tags',
      key: 'buttonCodes',
      label: t('buttonCodes'),
      help: t('buttonCodesHelp'),
      maxItems: 50,
      maxLength: 64,
    },
  ]
}

export const NEW_ENTRY: Values = {
  name: '',
  ename: '',
  path: '',
  jump: 0,
  hidden: false,
  operatorOnly: false,
  icon: '',
  buttonCodes: [],
}

/** One entry: all its fields, its place, and what can be done with it. */
export function EntryForm({
  entry,
  first,
  last,
  hasChildren,
  onSave,
  onStep,
  onAddBelow,
  onRemove,
}: {
  entry: MenuEntry
  first: boolean
  last: boolean
  hasChildren: boolean
  onSave: (values: Values) => Promise<unknown>
  onStep: (by: -1 | 1) => void
  onAddBelow: () => void
  onRemove: () => void
}) {
  const { t } = useTranslation('menus')
  const fields = useMemo(() => entryFields(t), [t])
  const { name, ename, path, jump, hidden, operatorOnly, icon, buttonCodes } = entry
  const initial = { name, ename, path, jump, hidden, operatorOnly, icon, buttonCodes }
  const form = useSchemaForm(fields, initial)
  const guard = useUnsavedGuard(form.dirty)
  const { busy, failure, submit } = useFormSubmit(form, onSave)
  return (
    <Panel
      title={entry.name}
      hint={t('place', { level: entry.sort, order: entry.order + 1 })}
      actions={
        <>
          <Button
            icon={<ArrowUpOutlined aria-hidden />}
            aria-label={t('up')}
            disabled={first}
            onClick={() => onStep(-1)}
          />
          <Button
            icon={<ArrowDownOutlined aria-hidden />}
            aria-label={t('down')}
            disabled={last}
            onClick={() => onStep(1)}
          />
          <Button icon={<PlusOutlined aria-hidden />} onClick={onAddBelow}>
            {t('addBelow')}
          </Button>
          <Button
            danger
            icon={<DeleteOutlined aria-hidden />}
            disabled={hasChildren}
            title={hasChildren ? t('notEmpty') : undefined}
            onClick={onRemove}
          >
            {t('remove')}
          </Button>
        </>
      }
    >
      <form
        className={css.form}
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        {!entry.built && <p className={css.hint}>{t('notBuilt')}</p>}
        <SchemaForm form={form} disabled={busy} />
        <div className={css.foot}>
          <Button disabled={!form.dirty || busy} onClick={() => form.reset(initial)}>
            {t('undo')}
          </Button>
          <Button type="primary" htmlType="submit" loading={busy} disabled={!form.dirty}>
            {t('save')}
          </Button>
        </div>
      </form>
      {guard.dialog}
    </Panel>
  )
}
