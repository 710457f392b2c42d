namespace Loxo.Protocol.Authentication;

/// <summary>The keys of a SCRAM login, for middleware that passes logins on and has no password (libpq's scram_client_key).</summary>
/// <param name="ClientKey">In base64. Whoever has it can log in.</param>
/// <param name="ServerKey">In base64. The server has to prove that it has it.</param>
internal sealed record ScramKeySettings(string ClientKey, string ServerKey)
{
    public override string ToString() => "(hidden)";
}
