import { AppstoreAddOutlined, ImportOutlined, PlusOutlined } from '@ant-design/icons'
import type { ProductView } from '@thingwright/contracts/products.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, download } from '../../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { GroupFilter } from '../../../ui/group-tree/group-filter.tsx'
import { GroupTree } from '../../../ui/group-tree/group-tree.tsx'
import { groupPath } from '../../../ui/group-tree/tree.ts'
import { groupsOf, useGroups } from '../../../ui/group-tree/use-groups.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useAskedCreate } from '../../../ui/list-page/use-asked-create.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { devicesOfProduct, productAddress } from '../addresses.ts'
import type { ProductStart } from '../components/create-product-drawer.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { ProductStatus } from '../components/product-status.tsx'
import { fetchProducts, PRODUCT_LISTS, useProductChanged } from '../hooks.ts'
import { LINKS_OFFERED, NODE_TYPES, statusOf } from '../product-words.ts'

const CreateProductDrawer = lazy(async () => ({
  default: (await import('../components/create-product-drawer.tsx')).CreateProductDrawer,
}))
const EditProductDrawer = lazy(async () => ({
  default: (await import('../components/edit-product-drawer.tsx')).EditProductDrawer,
}))
const UnpublishDialog = lazy(async () => ({
  default: (await import('../components/unpublish-dialog.tsx')).UnpublishDialog,
}))
const LibraryDrawer = lazy(async () => ({ default: (await import('../library/library-drawer.tsx')).LibraryDrawer }))
const RemoveProductDialog = lazy(async () => ({
  default: (await import('../components/remove-product-dialog.tsx')).RemoveProductDialog,
}))

type Open =
  | { kind: 'create'; start: ProductStart | null }
  | { kind: 'library' }
  | { kind: 'edit'; id: string }
  | { kind: 'remove' | 'unpublish'; product: ProductView }

const keyOf = (product: ProductView) => product.id
const hrefOf = (product: ProductView) => productAddress(product.id)

/** Products of the company, as table or cards, with their groups at the left. */
export function ProductListPage() {
  const { t } = useTranslation('products')
  const { t: tl } = useTranslation('library')
  const picked = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useMay('products.create')
  const mayDelete = useMay('products.remove')
  useAskedCreate(mayWrite, () => setOpen({ kind: 'create', start: null }))
  const groups = useGroups('product')
  const changed = useProductChanged()
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'linkType',
        label: t('linkType'),
        options: LINKS_OFFERED.map(value => ({ value, label: t(`link.${value}`) })),
      },
      {
        key: 'status',
        label: t('state'),
        options: [
          { value: 'published', label: t('status.published') },
          { value: 'draft', label: t('notPublished') },
        ],
      },
      {
        key: 'nodeType',
        label: t('nodeType'),
        options: NODE_TYPES.map(value => ({ value, label: t(`node.${value}`) })),
      },
      { key: 'groupId', label: t('group'), chipOnly: true, display: id => groupPath(groups.data ?? [], id) || '…' },
    ],
    [t, groups.data],
  )
  const state = useListState(filters)
  const columns = useMemo(() => productColumns(t), [t])

  const { run: publish } = useAct('products.publish', {
    touches: [groupsOf('product')],
    done: reply => {
      changed(reply)
      notify.success(t('published', { name: reply.name }))
    },
  })
  const { run: copyAs } = useAct('productLibrary.copy', {
    touches: PRODUCT_LISTS,
    done: reply => {
      changed(reply)
      notify.success(tl('copied', { name: reply.name }))
    },
  })
  const copy = useCallback(
    (product: ProductView) => {
      const name = t('copyName', { name: product.name }).slice(0, 64)
      return copyAs({ params: { id: product.id }, body: { name, groupId: product.groupId, draft: true } })
    },
    [t, copyAs],
  )
  const { attempt } = useWork({ touches: PRODUCT_LISTS })
  const exportOne = useCallback(
    async (product: ProductView) => {
      await attempt(async () => {
        await download('productLibrary.file', `${product.productKey}.json`, { params: { id: product.id } })
      })
    },
    [attempt],
  )
  const importOne = async (file: File | undefined) => {
    if (!file) return
    await attempt(async () => {
      const text = await file.text()
      const { readModelFile } = await import('../product-file.ts')
      const read = readModelFile(text)
      if (!read.ok) return notify.error(tl('fileInvalid'))
      if (!/"thingwright"\s*:\s*"product"/.test(text))
        // A thing model alone: the rest is asked for.
        return setOpen({ kind: 'create', start: { values: {}, model: read.model } })
      const made = await call('productLibrary.importFile', {
        body: { file: JSON.parse(text.replace(/^\ufeff/, '')), groupId: state.filters.groupId ?? null, draft: true },
      })
      changed(made)
      notify.success(tl('imported', { name: made.name }))
    })
  }

  const rowActions = useCallback(
    (product: ProductView): RowAction[] => [
      { key: 'devices', label: t('devices'), to: devicesOfProduct(product.id) },
      ...(mayWrite
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', id: product.id }) },
            product.status === 'published'
              ? { key: 'unpublish', label: t('unpublish'), onClick: () => setOpen({ kind: 'unpublish', product }) }
              : product.modelChanged && product.modelVersion > 0
                ? // What devices are checked against would change: that is looked at first.
                  { key: 'publish', label: t('publish'), to: `${productAddress(product.id)}&publish=1` }
                : { key: 'publish', label: t('publish'), onClick: () => void publish({ params: { id: product.id } }) },
            { key: 'copy', label: t('copy'), onClick: () => void copy(product) },
          ]
        : []),
      { key: 'export', label: t('exportFile'), onClick: () => void exportOne(product) },
      ...(mayDelete
        ? [{ key: 'remove', label: t('remove'), danger: true, onClick: () => setOpen({ kind: 'remove', product }) }]
        : []),
    ],
    [t, mayWrite, mayDelete, publish, copy, exportOne],
  )
  const create = (
    <PermissionGate of="products.create">
      <Button icon={<AppstoreAddOutlined aria-hidden />} onClick={() => setOpen({ kind: 'library' })}>
        {tl('fromLibrary')}
      </Button>
      <Button icon={<ImportOutlined aria-hidden />} onClick={() => picked.current?.click()}>
        {tl('importFile')}
      </Button>
      <Button
        type="primary"
        icon={<PlusOutlined aria-hidden />}
        onClick={() => setOpen({ kind: 'create', start: null })}
      >
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="products"
        operation="products.list"
        fetchPage={fetchProducts}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchPlaceholder')}
        title={t('title')}
        description={t('lead')}
        actions={create}
        aside={
          <GroupTree
            kind="product"
            title={t('groups')}
            allText={t('allProducts')}
            selected={state.filters.groupId ?? null}
            onSelect={id => state.setFilter('groupId', id)}
          />
        }
        asideLabel={t('groups')}
        asideChoice={
          <GroupFilter
            kind="product"
            label={t('groups')}
            allText={t('allProducts')}
            selected={state.filters.groupId ?? null}
            onSelect={id => state.setFilter('groupId', id)}
          />
        }
        rowActions={rowActions}
        renderCard={product => <ProductCard product={product} actions={rowActions(product)} />}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="products"
        exportPath="/api/v1/products/export"
      />
      <input
        ref={picked}
        type="file"
        hidden
        accept=".json,application/json"
        aria-label={tl('importFile')}
        onChange={event => {
          void importOne(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      <Suspense>
        {open?.kind === 'library' && (
          <LibraryDrawer groupId={state.filters.groupId ?? null} onInstalled={changed} onClose={() => setOpen(null)} />
        )}
        {open?.kind === 'create' && <CreateProductDrawer start={open.start} onClose={() => setOpen(null)} />}
        {open?.kind === 'edit' && <EditProductDrawer id={open.id} onClose={() => setOpen(null)} />}
        {open?.kind === 'unpublish' && <UnpublishDialog product={open.product} onClose={() => setOpen(null)} />}
        {open?.kind === 'remove' && <RemoveProductDialog product={open.product} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}

function productColumns(t: ReturnType<typeof useTranslation<'products'>>['t']): ListColumn<ProductView>[] {
  return [
    {
      key: 'name',
      title: t('name'),
      minWidth: 208,
      required: true,
      sortKey: 'name',
      render: product => (
        <NameCell
          name={product.name}
          id={product.productKey}
          to={productAddress(product.id)}
          icon={<ThingIcon svg={product.icon} size={28} />}
        />
      ),
      csv: product => product.name,
    },
    {
      key: 'productKey',
      title: t('productKey'),
      width: 140,
      initiallyHidden: true,
      render: product => product.productKey,
      csv: product => product.productKey,
    },
    {
      key: 'state',
      title: t('state'),
      width: 148,
      render: product => <ProductStatus product={product} />,
      csv: product => t(`status.${statusOf(product)}`),
    },
    {
      key: 'devices',
      title: t('devicesOnline'),
      width: 120,
      align: 'right',
      render: product => (
        <span title={t('devicesOnlineHelp')}>
          {formatNumber(product.onlineCount)} / {formatNumber(product.deviceCount)}
        </span>
      ),
      csv: product => `${product.onlineCount}/${product.deviceCount}`,
    },
    {
      key: 'linkType',
      title: t('linkType'),
      width: 104,
      rank: 4,
      render: product => t(`link.${product.linkType}`),
      csv: product => t(`link.${product.linkType}`),
    },
    {
      key: 'nodeType',
      title: t('nodeType'),
      width: 116,
      rank: 2,
      render: product => t(`node.${product.nodeType}`),
      csv: product => t(`node.${product.nodeType}`),
    },
    {
      key: 'modelVersion',
      title: t('modelVersion'),
      width: 96,
      rank: 3,
      align: 'right',
      render: product => (product.modelVersion === 0 ? '–' : `v${product.modelVersion}`),
      csv: product => product.modelVersion,
    },
    {
      key: 'category',
      title: t('category'),
      width: 128,
      rank: 1,
      render: product => <span title={product.category}>{product.category || '–'}</span>,
      csv: product => product.category,
    },
    {
      key: 'updatedAt',
      title: t('updatedAt'),
      width: 132,
      sortKey: 'updatedAt',
      render: product => <TimeText value={product.updatedAt} />,
      csv: product => formatDateTime(product.updatedAt),
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 132,
      sortKey: 'createdAt',
      initiallyHidden: true,
      render: product => <TimeText value={product.createdAt} />,
      csv: product => formatDateTime(product.createdAt),
    },
  ]
}
