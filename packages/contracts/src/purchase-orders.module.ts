import type { ModuleFacts } from './module.ts'

/** What a company buys: catalogue, orders, payments, refunds, top-ups. */
export const purchaseOrdersModule = {
  pages: {
    '/cost/account/MsgOrVmsBuy': ['finance'],
    '/cost/order': ['finance'],
    '/cost/order/detail': ['finance'],
    '/cost/recharge': ['finance'],
    '/admin/purchase': ['finance'],
  },
  found: ['purchase_order'],
  errors: {
    'order.not_found': 404,
    'order.item_unknown': 422,
    'order.state': 409,
    'order.expansion_without_plan': 409,
    'order.provider_unavailable': 409,
    'order.voucher_missing': 422,
    'order.receipt_unpaid': 409,
    'order.refund_amount': 422,
    'order.refund_way': 409,
    'payment.not_found': 404,
    'payment.state': 409,
    'payment.signature_invalid': 401,
    'payment.amount_differs': 422,
    'payment.provider_failed': 502,
    'payment_provider.not_found': 404,
    'payment_provider.key_missing': 422,
    'payment_provider.key_unreadable': 422,
    'payment_provider.key_own': 422,
    'payment_provider.address_blocked': 422,
    'payment_provider.in_use': 409,
    'catalogue.sku_taken': 409,
    'catalogue.spec_invalid': 422,
    'plan.none': 404,
  },
} as const satisfies ModuleFacts
