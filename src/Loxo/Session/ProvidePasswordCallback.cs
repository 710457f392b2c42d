namespace Loxo;

/// <summary>Supplies the password of a user when a physical connection is opened.</summary>
/// <param name="host">The server's host.</param>
/// <param name="port">The server's port.</param>
/// <param name="database">The database.</param>
/// <param name="username">The user.</param>
/// <returns>The password.</returns>
public delegate string ProvidePasswordCallback(string host, int port, string database, string username);
