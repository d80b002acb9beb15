import type { GroupKind } from '@thingwright/contracts/groups.contract'
import type { RoleDataScope } from '@thingwright/contracts/roles.contract'
import { Radio, Select, TreeSelect } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../lib/server-state/use-read.ts'
import { buildTree, type GroupNode } from '../group-tree/tree.ts'
import { useGroups } from '../group-tree/use-groups.ts'
import css from './rights.module.css'

const KINDS = ['all', 'own_groups', 'groups', 'products', 'own'] as const

/** Which products and devices a role or key shows. */
export function ScopePicker({
  value,
  onChange,
  kinds = KINDS,
  disabled = false,
}: {
  value: RoleDataScope
  onChange: (value: RoleDataScope) => void
  kinds?: readonly RoleDataScope['kind'][]
  disabled?: boolean
}) {
  const { t } = useTranslation('rights')
  const choose = (kind: RoleDataScope['kind']) => {
    if (kind === 'groups') onChange({ kind, groupIds: value.kind === 'groups' ? value.groupIds : [] })
    else if (kind === 'products') onChange({ kind, productIds: value.kind === 'products' ? value.productIds : [] })
    else onChange({ kind })
  }
  return (
    <div className={css.scope}>
      <Radio.Group
        className={css.scopeKinds ?? ''}
        value={value.kind}
        disabled={disabled}
        onChange={event => choose(event.target.value)}
      >
        {kinds.map(kind => (
          <Radio key={kind} value={kind}>
            {t(`scope.${kind}`)}
            <span className={css.scopeHelp}>{t(`scopeHelp.${kind}`)}</span>
          </Radio>
        ))}
      </Radio.Group>
      {value.kind === 'groups' && (
        <GroupsChoice
          value={value.groupIds}
          disabled={disabled}
          onChange={groupIds => onChange({ kind: 'groups', groupIds })}
        />
      )}
      {value.kind === 'products' && (
        <ProductsChoice
          value={value.productIds}
          disabled={disabled}
          onChange={productIds => onChange({ kind: 'products', productIds })}
        />
      )}
    </div>
  )
}

interface Choice<T> {
  value: T
  onChange: (value: T) => void
  disabled: boolean
}

/** Groups of devices and of products in one tree; a group brings everything below it. */
function GroupsChoice({ value, onChange, disabled }: Choice<string[]>) {
  const { t } = useTranslation('rights')
  const trees = [useGroups('device'), useGroups('product')]
  const kinds: GroupKind[] = ['device', 'product']
  // A tree is opened as a whole when it is first drawn: not before all of it is there.
  const waiting = trees.some(tree => tree.isLoading || tree.isPlaceholderData)
  const treeData = (waiting ? [] : kinds).map((kind, at) => ({
    value: kind,
    title: t(`groupKind.${kind as 'device' | 'product'}`),
    selectable: false,
    checkable: false,
    children: nodesOf(buildTree(trees[at]?.data ?? [])),
  }))
  return (
    <TreeSelect
      aria-label={t('scope.groups')}
      style={{ width: '100%' }}
      multiple
      treeDefaultExpandAll
      showSearch={{ treeNodeFilterProp: 'title' }}
      placeholder={t('chooseGroups')}
      disabled={disabled}
      loading={trees.some(tree => tree.isPending)}
      treeData={treeData}
      value={value}
      onChange={(ids: string[]) => onChange(ids)}
    />
  )
}

function nodesOf(nodes: readonly GroupNode[]): { value: string; title: string; children: object[] }[] {
  return nodes.map(({ group, children }) => ({ value: group.id, title: group.name, children: nodesOf(children) }))
}

const PAGE = 100

function ProductsChoice({ value, onChange, disabled }: Choice<string[]>) {
  const { t } = useTranslation('rights')
  const [q, setQ] = useState('')
  const products = useRead(
    'products.list',
    { query: { limit: PAGE, sort: 'name', ...(q ? { q } : {}) } },
    { keep: true },
  )
  const options = useMemo(
    () => (products.data?.items ?? []).map(product => ({ value: product.id, label: product.name })),
    [products.data],
  )
  return (
    <Select
      aria-label={t('scope.products')}
      mode="multiple"
      style={{ width: '100%' }}
      placeholder={t('chooseProducts')}
      disabled={disabled}
      loading={products.isPending}
      showSearch={{ filterOption: false, onSearch: setQ }}
      options={options}
      value={value}
      onChange={onChange}
    />
  )
}
