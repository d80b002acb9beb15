import { Input, Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { CustomField, CustomInput } from '../../ui/schema-form/field.ts'

type Head = Omit<CustomField, 'kind' | 'render'>

/** A day without a time, `2026-11-27`. */
export const dayField = (head: Head): CustomField => ({
  ...head,
  kind: 'custom',
  render: ({ id, value, onChange, onBlur, disabled, invalid }) => (
    <Input
      id={id}
      type="date"
      disabled={disabled}
      status={invalid ? 'error' : ''}
      value={(value as string | null) ?? ''}
      onBlur={onBlur}
      onChange={event => onChange(event.target.value === '' ? null : event.target.value)}
    />
  ),
})

/** One device, searched at the server as the person types. */
export const deviceField = (head: Head): CustomField => ({
  ...head,
  kind: 'custom',
  render: input => <DeviceSelect input={input} />,
})

export const endUserField = (head: Head, named?: { id: string; name: string }): CustomField => ({
  ...head,
  kind: 'custom',
  render: input => <EndUserSelect input={input} named={named} />,
})

export const tariffField = (head: Head, named?: { id: string; name: string }): CustomField => ({
  ...head,
  kind: 'custom',
  render: input => <TariffSelect input={input} named={named} />,
})

interface Option {
  value: string
  label: string
}

function Choice({
  input,
  options,
  loading,
  typed,
  onType,
}: {
  input: CustomInput
  options: Option[]
  loading: boolean
  typed: string
  onType: (text: string) => void
}) {
  return (
    <Select
      id={input.id}
      style={{ width: '100%' }}
      disabled={input.disabled}
      status={input.invalid ? 'error' : ''}
      loading={loading}
      showSearch={{ filterOption: false, onSearch: onType, searchValue: typed }}
      value={(input.value as string | null) ?? null}
      options={options}
      onBlur={input.onBlur}
      onChange={(next: string) => {
        onType('')
        input.onChange(next)
      }}
    />
  )
}

/** The text that is searched for, a moment after it was typed. */
function useTyped() {
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  return { typed, setTyped, query: { limit: 50, ...(q === '' ? {} : { q }) } }
}

const KEEP = { keep: true, staleTime: 30_000 } as const
const withNamed = (options: Option[], named: { id: string; name: string } | undefined) =>
  named && !options.some(({ value }) => value === named.id)
    ? [{ value: named.id, label: named.name }, ...options]
    : options

function DeviceSelect({ input }: { input: CustomInput }) {
  const { typed, setTyped, query } = useTyped()
  const { data, isFetching } = useRead('devices.list', { query }, KEEP)
  const options = (data?.items ?? []).map(({ id, name, deviceNo }) => ({ value: id, label: `${name} · ${deviceNo}` }))
  return <Choice input={input} options={options} loading={isFetching} typed={typed} onType={setTyped} />
}

function EndUserSelect({ input, named }: { input: CustomInput; named?: { id: string; name: string } | undefined }) {
  const { typed, setTyped, query } = useTyped()
  const { data, isFetching } = useRead('endUsers.list', { query: { ...query, sort: 'name' } }, KEEP)
  const options = (data?.items ?? []).map(({ id, name, username }) => ({ value: id, label: `${name} · ${username}` }))
  return (
    <Choice input={input} options={withNamed(options, named)} loading={isFetching} typed={typed} onType={setTyped} />
  )
}

function TariffSelect({ input, named }: { input: CustomInput; named?: { id: string; name: string } | undefined }) {
  const { typed, setTyped, query } = useTyped()
  const { data, isFetching } = useRead('tariffs.list', { query: { ...query, sort: 'name' } }, KEEP)
  const options = (data?.items ?? []).map(({ id, name, unit }) => ({ value: id, label: `${name} (${unit})` }))
  return (
    <Choice input={input} options={withNamed(options, named)} loading={isFetching} typed={typed} onType={setTyped} />
  )
}
