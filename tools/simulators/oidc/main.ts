/**
 * An OpenID provider for tests and for trying single sign-on by hand: a page to choose who signs in, no passwords.
 * `tsx tools/simulators/oidc/main.ts --redirect http://localhost:8080/oauth/oidc/callback` prints one line of JSON with
 * issuer, client id and secret. Port 0 (default) takes any free one.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import Provider from 'oidc-provider'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    redirect: { type: 'string', multiple: true, default: ['http://localhost:8080/oauth/oidc/callback'] },
    client: { type: 'string', default: 'thingwright' },
    secret: { type: 'string', default: 'a secret of the simulated provider' },
  },
})

const PEOPLE: Record<string, { name: string; email: string; preferred_username: string }> = {
  lina: { name: '李娜', email: 'li.na@factory.example', preferred_username: 'li.na' },
  wang: { name: '王强', email: 'wang.qiang@factory.example', preferred_username: 'wang.qiang' },
  // Whoever runs a provider may call people what he likes: names that are taken, or that mean something to programs.
  admin: { name: '<script>alert(1)</script>', email: 'admin@factory.example', preferred_username: 'admin' },
}

const server = createServer()
await new Promise<void>(resolve => server.listen(Number(values.port), '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: values.client,
      client_secret: values.secret,
      redirect_uris: values.redirect,
      response_types: ['code'],
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
  // Claims stand in the ID token as well, as most providers send them.
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  cookies: { keys: ['simulated'] },
  ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  interactions: { url: (_ctx, interaction) => `/choose/${interaction.uid}` },
  async findAccount(_ctx, sub) {
    const person = PEOPLE[sub]
    return person ? { accountId: sub, claims: async () => ({ sub, email_verified: true, ...person }) } : undefined
  },
})

async function choose(
  request: Parameters<typeof provider.interactionDetails>[0],
  response: Parameters<typeof provider.interactionDetails>[1],
) {
  const url = new URL(request.url ?? '/', issuer)
  const details = await provider.interactionDetails(request, response)
  const account = url.searchParams.get('account')
  if (url.searchParams.has('deny'))
    return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'not today' })
  if (details.prompt.name === 'login') {
    if (account && Object.hasOwn(PEOPLE, account))
      return provider.interactionFinished(request, response, { login: { accountId: account } })
    response.setHeader('content-type', 'text/html; charset=utf-8')
    const links = Object.keys(PEOPLE).map(name => `<li><a href="?account=${name}">${name}</a></li>`)
    response.end(
      `<!doctype html><title>Simulated provider</title><h1>Sign in as</h1><ul>${links.join('')}</ul><a href="?deny=1">Refuse</a>`,
    )
    return
  }
  const grant = new provider.Grant({
    accountId: details.session?.accountId as string,
    clientId: String(details.params.client_id),
  })
  grant.addOIDCScope(String(details.params.scope))
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

const serve = provider.callback()
server.on('request', (request, response) => {
  if (!request.url?.startsWith('/choose/')) return serve(request, response)
  choose(request, response).catch((error: Error) => {
    response.statusCode = 400
    response.end(error.message)
  })
})
process.stdout.write(`${JSON.stringify({ issuer, clientId: values.client, clientSecret: values.secret })}\n`)
process.on('SIGTERM', () => process.exit(0))
// Ends with whoever started it.
process.stdin.on('end', () => process.exit(0)).resume()
