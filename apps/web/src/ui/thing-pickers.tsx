import { Select, TreeSelect } from 'antd'
import { useDeferredValue, useMemo, useState } from 'react'
import type { Reply } from '../lib/api-client.ts'
import { useMay } from '../lib/permissions.ts'
import { useRead, useReads } from '../lib/server-state/use-read.ts'
import { buildTree, type GroupNode } from './group-tree/tree.ts'
import { useGroups } from './group-tree/use-groups.ts'

interface Choice {
  id: string
  label: string
}

/** Names are asked one by one; beyond so many the rest stands as a count. */
export const NAMED_AT_MOST = 30
const NAMES_KEPT = 300_000

/** How each kind is listed and read by name. */
const OF = {
  product: { list: 'products.list', get: 'products.get' },
  device: { list: 'devices.list', get: 'devices.get' },
  user: { list: 'endUsers.list', get: 'endUsers.get' },
} as const

type Kind = keyof typeof OF

function choiceOf(item: Reply<(typeof OF)[Kind]['list']>['items'][number]): Choice {
  const more = 'deviceNo' in item ? item.deviceNo : 'username' in item ? item.username : null
  return { id: item.id, label: more === null ? item.name : `${item.name} · ${more}` }
}

/** Names of products, devices or end users by id; those that are gone, or not to be seen, keep their id. */
export function useNames(kind: Kind, ids: readonly string[]): ReadonlyMap<string, string> {
  const allowed = useMay(OF[kind].list)
  const named = ids.slice(0, NAMED_AT_MOST)
  const found = useReads(
    OF[kind].get,
    named.map(id => ({ params: { id } })),
    { enabled: allowed, staleTime: NAMES_KEPT },
  )
  return new Map(named.flatMap((id, at) => (found[at]?.data === undefined ? [] : [[id, found[at].data.name]])))
}

/** Some products, devices or end users, searched at the server as the person types. */
export function ManySelect({
  kind,
  id,
  value,
  onChange,
  disabled,
  placeholder,
}: {
  kind: Kind
  id: string
  value: readonly string[]
  onChange: (ids: string[]) => void
  disabled: boolean
  placeholder: string
}) {
  const allowed = useMay(OF[kind].list)
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const found = useRead(
    OF[kind].list,
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: allowed, keep: true, staleTime: 30_000 },
  )
  const listed = (found.data?.items ?? []).map(choiceOf)
  const unlisted = value.filter(each => !listed.some(choice => choice.id === each))
  const names = useNames(kind, unlisted)
  const options = [
    ...listed.map(choice => ({ value: choice.id, label: choice.label })),
    ...unlisted.map(each => ({ value: each, label: names.get(each) ?? `${each.slice(0, 8)}…` })),
  ]
  return (
    <Select
      id={id}
      mode="multiple"
      style={{ width: '100%' }}
      disabled={disabled || !allowed}
      maxTagCount={6}
      placeholder={placeholder}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      value={[...value]}
      options={options}
      onChange={(ids: string[]) => {
        setTyped('')
        onChange(ids)
      }}
    />
  )
}

/** Device groups; each brings everything below it. */
export function GroupsSelect({
  id,
  value,
  onChange,
  disabled,
  placeholder,
}: {
  id: string
  value: readonly string[]
  onChange: (ids: string[]) => void
  disabled: boolean
  placeholder: string
}) {
  const groups = useGroups('device')
  const treeData = useMemo(() => nodesOf(buildTree(groups.data ?? [])), [groups.data])
  return (
    <TreeSelect
      id={id}
      multiple
      treeDefaultExpandAll
      style={{ width: '100%' }}
      disabled={disabled}
      maxTagCount={6}
      placeholder={placeholder}
      loading={groups.isPending}
      showSearch={{ treeNodeFilterProp: 'title' }}
      treeData={treeData}
      value={[...value]}
      onChange={(ids: string[]) => onChange(ids)}
    />
  )
}

function nodesOf(nodes: readonly GroupNode[]): { value: string; title: string; children: object[] }[] {
  return nodes.map(({ group, children }) => ({ value: group.id, title: group.name, children: nodesOf(children) }))
}
