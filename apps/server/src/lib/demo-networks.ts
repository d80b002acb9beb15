/** The simulated networks of the demo company, as the modules that speak to such networks are connected to them. */
export interface DemoNetworks {
  /** The company was never connected to them. */
  isFirst: boolean
  chirpstack: { url: string; tenantId: string; apiKey: string; email: string; password: string }
  ezviz: { url: string; appKey: string; appSecret: string }
  /** Where ChirpStack's events go from now on. @param path at this server */
  integrate(path: string, headers: Record<string, string>): void
}
