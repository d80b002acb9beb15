import type { AddressView } from '@thingwright/contracts/addresses.contract'
import { Alert, Button, Cascader, Drawer, Input } from 'antd'
import { useId, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts'
import css from './addresses.module.css'
import { useRegions } from './hooks.ts'

/** Adds or changes an address; a pasted line fills the fields. */
export function AddressDrawer({
  address,
  first,
  onClose,
}: {
  address: AddressView | null
  /** The first address is the default anyway. */
  first: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('addresses')
  const create = useAct('addresses.create')
  const update = useAct('addresses.update')
  const regions = useRegions().data?.items
  const fields = useMemo<Field[]>(() => {
    const cities = (regions ?? []).map(({ province, cities }) => ({
      value: province,
      label: province,
      children: cities.map(city => ({ value: city, label: city })),
    }))
    return [
      { key: 'receiver', kind: 'string', label: t('receiver'), required: true, maxLength: 64, half: true },
      {
        key: 'phone',
        kind: 'string',
        label: t('phone'),
        required: true,
        maxLength: 32,
        half: true,
        help: t('phoneHelp'),
      },
      {
        key: 'city',
        kind: 'custom',
        label: t('region'),
        required: true,
        half: true,
        check: value => (Array.isArray(value) && value.length === 2 ? null : t('regionMissing')),
        render: input => (
          <Cascader
            id={input.id}
            style={{ width: '100%' }}
            options={cities}
            showSearch
            allowClear={false}
            disabled={input.disabled}
            placeholder={t('regionPlaceholder')}
            {...(input.invalid ? { status: 'error' as const } : {})}
            value={(input.value as string[] | undefined) ?? []}
            onChange={input.onChange}
            onBlur={input.onBlur}
          />
        ),
      },
      {
        key: 'district',
        kind: 'string',
        label: t('district'),
        required: true,
        maxLength: 32,
        half: true,
        placeholder: t('districtPlaceholder'),
      },
      { key: 'detail', kind: 'string', label: t('detail'), required: true, maxLength: 200, rows: 2 },
      {
        key: 'zip',
        kind: 'string',
        label: t('zip'),
        pattern: /^\d{6}$/,
        patternText: t('zipRule'),
        cleared: '',
        half: true,
      },
      ...(first || address?.isDefault
        ? []
        : [{ key: 'isDefault', kind: 'bool' as const, label: t('default'), help: t('defaultHelp'), half: true }]),
    ]
  }, [t, regions, first, address])
  const initial = useMemo<Values>(
    () =>
      address
        ? { ...address, city: [address.province, address.city], isDefault: undefined }
        : { isDefault: first ? undefined : false },
    [address, first],
  )
  const form = useSchemaForm(fields, initial)
  const [done, setDone] = useState(false)
  const guard = useUnsavedGuard(form.dirty && !done)
  const { busy, failure, submit } = useFormSubmit(form, async values => {
    const [province, city] = values.city as [string, string]
    const { isDefault, ...rest } = values
    const body = { ...rest, province, city, ...(isDefault === true ? { isDefault: true } : {}) }
    if (address)
      await update.send({
        params: { id: address.id },
        body: { ...body, version: address.version } as Body<'addresses.update'>,
      })
    else await create.send({ body: body as Body<'addresses.create'> })
    setDone(true)
    notify.success(address ? t('saved') : t('added'))
    onClose()
  })
  const close = () => guard.ask(onClose)
  const fill = (found: Record<string, string>) => {
    for (const key of ['receiver', 'phone', 'district', 'detail', 'zip']) if (found[key]) form.set(key, found[key])
    if (found.province && found.city) form.set('city', [found.province, found.city])
  }
  return (
    <Drawer
      open
      size={560}
      title={address ? t('editTitle') : t('createTitle')}
      onClose={close}
      maskClosable={!busy}
      footer={
        <div className={css.foot}>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="primary" loading={busy} onClick={() => void submit()}>
            {t('save')}
          </Button>
        </div>
      }
    >
      <PasteBox onFound={fill} />
      <form
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        <SchemaForm form={form} disabled={busy} />
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
      </form>
      {guard.dialog}
    </Drawer>
  )
}

/** Takes a whole line out of a chat or a shop and hands over its parts. */
function PasteBox({ onFound }: { onFound: (found: Record<string, string>) => void }) {
  const { t } = useTranslation('addresses')
  const id = useId()
  const [text, setText] = useState('')
  const { run, reply, error, pending } = useAct('addresses.parse', { own: false, notice: false, done: onFound })
  const missing = (['receiver', 'phone', 'city', 'district', 'detail'] as const).filter(key => reply?.[key] === '')
  const result =
    error !== null
      ? { type: 'error' as const, text: errorFacts(error).message }
      : reply === undefined
        ? null
        : missing.length === 0
          ? { type: 'success' as const, text: t('parsed') }
          : {
              type: 'warning' as const,
              text: t('parsedPartly', {
                fields: missing.map(key => t(key === 'city' ? 'region' : key)).join(t('comma')),
              }),
            }
  const read = async (line: string) => {
    if (line.trim() !== '' && !pending) await run({ body: { text: line.slice(0, 500) } })
  }
  return (
    <section className={css.paste} aria-label={t('paste')}>
      <label htmlFor={id} className={css.pasteLabel}>
        {t('paste')}
      </label>
      <Input.TextArea
        id={id}
        rows={2}
        maxLength={500}
        value={text}
        placeholder={t('pastePlaceholder')}
        onChange={event => setText(event.target.value)}
        onPaste={event => {
          // What was pasted into an empty box is meant to be read at once.
          const pasted = event.clipboardData.getData('text')
          if (text.trim() === '' && pasted.trim() !== '') void read(pasted)
        }}
      />
      <div className={css.pasteFoot}>
        <span aria-live="polite">{result && <Alert type={result.type} showIcon title={result.text} />}</span>
        <Button loading={pending} disabled={text.trim() === ''} onClick={() => void read(text)}>
          {t('parse')}
        </Button>
      </div>
    </section>
  )
}
