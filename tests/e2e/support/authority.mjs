/*
 * A remote MCP server that wants a login, and its authorization server, in this
 * process: it registers clients, rotates and expires tokens, steps up, and lies
 * as it is told.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { serveRemote } from './remote.mjs';

const form = async (request) => {
  let text = '';

  for await (const part of request.setEncoding('utf8'))
    text += part;
  return text;
};

/*
 * Starts both, the latter with tls, a key and a certificate. The result has url, of the server, and what is heard and given;
 * its members may be changed at any time: lifetime (seconds of a token), scopes
 * (that a call of a tool needs), metadata (members of the issuer's), resource
 * (those of the server's), answer (of the redirect), tokens (of an answer to a
 * request for tokens: status and members), slow (a promise that it waits for),
 * nonce (of DPoP, which the server then wants; proofs is what it has got).
 */
export async function serveAuthority(t, { registers = true, tls } = {}) {
  const state = { asked: [], grants: [], registrations: [], revoked: [],
    valid: new Map(), refresh: new Set(), codes: new Map(), lifetime: 3600,
    scopes: [], metadata: {}, resource: {}, answer: {}, tokens: {},
    clients: new Map(), secrets: [], proofs: [] };
  const json = (response, status, value) => response.writeHead(status,
    { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const secret = (kind) => {
    const text = `${kind}-${randomUUID()}`;

    state.secrets.push(text);
    return text;
  };
  const give = (scope) => {
    const access = secret('access');
    const refresh = secret('refresh');

    state.valid.set(access, scope);
    state.refresh.add(refresh);
    return { access_token: access, scope,
      token_type: state.nonce ? 'DPoP' : 'Bearer',
      expires_in: state.lifetime, refresh_token: refresh };
  };
  /* Refuses a request without this nonce in its proof. */
  const lacksNonce = ({ headers, method, url }, response) => {
    const claims = headers.dpop && JSON.parse(
      Buffer.from(headers.dpop.split('.')[1], 'base64url'));

    if (!state.nonce || claims?.nonce === state.nonce) {
      state.proofs.push({ method, url, proof: headers.dpop,
        token: headers.authorization?.replace('DPoP ', '') });
      return false;
    }
    response.setHeader('dpop-nonce', state.nonce);
    response.setHeader('www-authenticate', ['DPoP error="use_dpop_nonce"',
      'Bearer error="invalid_token"']);
    json(response, url === '/token' ? 400 : 401, { error: 'use_dpop_nonce' });
    return true;
  };
  const grant = async (request, response) => {
    const sent = new URLSearchParams(await form(request));
    const kind = sent.get('grant_type');
    const code = state.codes.get(sent.get('code'));

    state.grants.push({ ...Object.fromEntries(sent),
      authorization: request.headers.authorization });
    await state.slow;
    if (lacksNonce(request, response))
      return undefined;
    if (state.tokens.status)
      return json(response, state.tokens.status, state.tokens);
    if (kind.endsWith(':token-exchange'))
      return json(response, 200, { token_type: 'N_A', access_token: 'jag',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag' });
    if (kind === 'client_credentials' || kind.endsWith(':jwt-bearer'))
      return json(response, 200, { ...give(sent.get('scope') ?? ''),
        refresh_token: undefined });
    if (kind === 'refresh_token') {
      if (!state.refresh.delete(sent.get('refresh_token')))
        return json(response, 400, { error: 'invalid_grant',
          error_description: 'it was used before' });
      return json(response, 200, give(state.scope));
    }
    state.codes.delete(sent.get('code'));
    if (code?.challenge !== createHash('sha256')
      .update(sent.get('code_verifier') ?? '').digest('base64url') ||
      code.resource !== sent.get('resource'))
      return json(response, 400, { error: 'invalid_grant' });
    state.scope = code.scope;
    return json(response, 200, give(code.scope));
  };
  const issuer = (tls ? https : http).createServer(tls ?? {}, async (request,
    response) => {
    const url = new URL(request.url, state.issuer);

    state.asked.push(`${request.method} ${url.pathname}`);
    if (url.pathname === '/.well-known/oauth-authorization-server') {
      json(response, 200, { issuer: state.issuer,
        authorization_endpoint: `${state.issuer}/authorize`,
        token_endpoint: `${state.issuer}/token`,
        revocation_endpoint: `${state.issuer}/revoke`,
        ...registers && { registration_endpoint: `${state.issuer}/register` },
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        token_endpoint_auth_methods_supported: ['none',
          'client_secret_basic'], ...state.metadata });
    } else if (url.pathname === '/register') {
      state.registrations.push(JSON.parse(await form(request)));
      json(response, 201, { client_id: randomUUID() });
    } else if (url.pathname === '/authorize') {
      const query = url.searchParams;
      const back = new URL(query.get('redirect_uri'));
      const code = secret('code');

      state.codes.set(code, { challenge: query.get('code_challenge'),
        scope: query.get('scope') ?? '', resource: query.get('resource') });
      for (const [name, value] of Object.entries({ code,
        state: query.get('state'), iss: state.issuer, ...state.answer }))
        if (value !== null)
          back.searchParams.set(name, value);
      response.writeHead(302, { location: String(back) }).end();
    } else if (url.pathname === '/token') {
      await grant(request, response);
    } else if (url.pathname === '/revoke') {
      state.revoked.push(new URLSearchParams(await form(request)).get('token'));
      response.writeHead(200).end();
    } else {
      response.writeHead(404).end();
    }
  });

  issuer.listen(0, '127.0.0.1');
  await once(issuer, 'listening');
  t.after(() => {
    issuer.closeAllConnections();
    issuer.close();
  });
  state.issuer = `${tls ? 'https' : 'http'}://127.0.0.1:${
    issuer.address().port}`;

  const refuse = (response, status, error, scope) => {
    response.writeHead(status, { 'www-authenticate': `${
      state.nonce ? 'DPoP' : 'Bearer'} error="${error}"${
      scope ? `, scope="${scope}"` : ''}` }).end();
    return true;
  };
  const remote = await serveRemote(t, { odd: {
    '/.well-known/oauth-protected-resource/mcp': ({ json: say }) => {
      say({ resource: state.url, authorization_servers: [state.issuer],
        ...state.resource });
      return true;
    },
    '/mcp': ({ request, response, message }) => {
      const token = request.headers.authorization?.replace(
        state.nonce ? 'DPoP ' : 'Bearer ', '');
      const has = state.valid.get(token)?.split(' ') ?? [];

      if (!state.valid.has(token))
        return refuse(response, 401, 'invalid_token', 'read');
      if (lacksNonce(request, response))
        return true;
      return message?.method === 'tools/call' &&
        state.scopes.some((scope) => !has.includes(scope)) &&
        refuse(response, 403, 'insufficient_scope', state.scopes.join(' '));
    } } });

  state.url = `${remote.origin}/mcp`;
  state.remote = remote;
  /* No token is valid any more; those that renew them are. */
  state.expire = () => state.valid.clear();
  return state;
}
