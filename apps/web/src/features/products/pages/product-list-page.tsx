import { AppstoreAddOutlined, ImportOutlined, PlusOutlined } from '@ant-design/icons'
import type { ProductView } from '@thingwright/contracts/products.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, download } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { GroupFilter } from '../../../ui/group-tree/group-filter.tsx'
import { GroupTree } from '../../../ui/group-tree/group-tree.tsx'
import { groupPath } from '../../../ui/group-tree/tree.ts'
import { groupsOf, useGroups } from '../../../ui/group-tree/use-groups.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useAskedCreate } from '../../../ui/list-page/use-asked-create.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { useListTab } from '../../../ui/list-page/use-list-tab.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { useCategories } from '../../../ui/product-categories.ts'
import { devicesOfProduct, productAddress } from '../addresses.ts'
import type { ProductStart } from '../components/create-product-drawer.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { productColumns, recycledColumns } from '../components/product-columns.tsx'
import { fetchProducts, fetchRecycledProducts, PRODUCT_LISTS, useProductChanged } from '../hooks.ts'
import { LINKS_OFFERED, NODE_TYPES } from '../product-words.ts'

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

const TABS = ['active', 'recycled'] as const
const keyOf = (product: ProductView) => product.id
const hrefOf = (product: ProductView) => productAddress(product.id)

/** Products of the company, as table or cards, with their groups at the left. A second tab is the recycle bin. */
export function ProductListPage() {
  const { t } = useTranslation('products')
  const { t: tl } = useTranslation('library')
  const picked = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState<Open | null>(null)
  const [tab, setTab] = useListTab(TABS)
  const recycled = tab === 'recycled'
  const mayWrite = useMay('products.create')
  const mayDelete = useMay('products.remove')
  useAskedCreate(mayWrite, () => setOpen({ kind: 'create', start: null }))
  const groups = useGroups('product')
  const changed = useProductChanged()
  const categories = useCategories()
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'linkType',
        label: t('linkType'),
        options: LINKS_OFFERED.map(value => ({ value, label: t(`link.${value}`) })),
      },
      ...(recycled
        ? []
        : [
            {
              key: 'status',
              label: t('state'),
              options: [
                { value: 'published', label: t('status.published') },
                { value: 'draft', label: t('notPublished') },
              ],
            },
          ]),
      {
        key: 'nodeType',
        label: t('nodeType'),
        options: NODE_TYPES.map(value => ({ value, label: t(`node.${value}`) })),
      },
      {
        key: 'category',
        label: t('category'),
        options: categories.map(value => ({ value, label: value })),
        open: true,
      },
      { key: 'groupId', label: t('group'), chipOnly: true, display: id => groupPath(groups.data ?? [], id) || '…' },
    ],
    [t, groups.data, recycled, categories],
  )
  const state = useListState(filters)
  const columns = useMemo(() => (recycled ? recycledColumns(t) : productColumns(t)), [t, recycled])

  const { run: publish } = useAct('products.publish', {
    touches: [groupsOf('product')],
    done: reply => {
      changed(reply)
      notify.success(t('published', { name: reply.name }))
    },
  })
  const { run: restore } = useAct('products.restore', {
    touches: PRODUCT_LISTS,
    done: reply => {
      changed(reply)
      notify.success(t('broughtBack', { name: reply.name }))
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
    (product: ProductView): RowAction[] =>
      recycled
        ? mayDelete
          ? [{ key: 'restore', label: t('bringBack'), onClick: () => void restore({ params: { id: product.id } }) }]
          : []
        : [
            { key: 'devices', label: t('devices'), to: devicesOfProduct(product.id) },
            ...(mayWrite
              ? [
                  { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', id: product.id }) },
                  product.status === 'published'
                    ? {
                        key: 'unpublish',
                        label: t('unpublish'),
                        onClick: () => setOpen({ kind: 'unpublish', product }),
                      }
                    : product.modelChanged && product.modelVersion > 0
                      ? // What devices are checked against would change: that is looked at first.
                        { key: 'publish', label: t('publish'), to: `${productAddress(product.id)}&publish=1` }
                      : {
                          key: 'publish',
                          label: t('publish'),
                          onClick: () => void publish({ params: { id: product.id } }),
                        },
                  { key: 'copy', label: t('copy'), onClick: () => void copy(product) },
                ]
              : []),
            { key: 'export', label: t('exportFile'), onClick: () => void exportOne(product) },
            ...(mayDelete
              ? [
                  {
                    key: 'remove',
                    label: t('remove'),
                    danger: true,
                    onClick: () => setOpen({ kind: 'remove', product }),
                  },
                ]
              : []),
          ],
    [t, recycled, mayWrite, mayDelete, publish, restore, copy, exportOne],
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
        key={tab}
        id={recycled ? 'products-recycled' : 'products'}
        operation="products.list"
        {...(recycled ? { about: 'recycled' } : {})}
        fetchPage={recycled ? fetchRecycledProducts : fetchProducts}
        rowKey={keyOf}
        rowHref={recycled ? undefined : hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchPlaceholder')}
        title={t('title')}
        description={t('lead')}
        actions={create}
        tabs={{
          active: tab,
          onChange: setTab,
          items: [
            { key: 'active', label: t('allProducts') },
            { key: 'recycled', label: t('recycleBin') },
          ],
        }}
        aside={
          recycled ? undefined : (
            <GroupTree
              kind="product"
              title={t('groups')}
              allText={t('allProducts')}
              selected={state.filters.groupId ?? null}
              onSelect={id => state.setFilter('groupId', id)}
            />
          )
        }
        asideLabel={t('groups')}
        asideChoice={
          recycled ? undefined : (
            <GroupFilter
              kind="product"
              label={t('groups')}
              allText={t('allProducts')}
              selected={state.filters.groupId ?? null}
              onSelect={id => state.setFilter('groupId', id)}
            />
          )
        }
        rowActions={rowActions}
        renderCard={recycled ? undefined : product => <ProductCard product={product} actions={rowActions(product)} />}
        empty={
          recycled
            ? { title: t('recycledEmpty'), description: t('recycledEmptyText') }
            : { title: t('emptyTitle'), description: t('emptyText'), action: create }
        }
        exportName="products"
        exportPath={`/api/v1/products/export${recycled ? '?recycled=1' : ''}`}
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
