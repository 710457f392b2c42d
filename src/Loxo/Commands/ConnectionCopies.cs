using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>Connections made of others.</summary>
internal static class ConnectionCopies
{
    /// <summary>Another connection string, with the password of <paramref name="connection"/> where it has none.</summary>
    public static PgConnection Of(PgConnection connection, string connectionString)
    {
        var builder = new PgConnectionStringBuilder(connectionString);
        if (connection.Source is { } source && builder.Password is null)
            builder.Password = source.Context.Passwords?.Get(mustBeNew: false, LimitOf(source)) ?? source.Settings.Session.Password;
        return Made(connection, builder);
    }

    /// <inheritdoc cref="Of"/>
    public static async ValueTask<PgConnection> OfAsync(PgConnection connection, string connectionString, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var builder = new PgConnectionStringBuilder(connectionString);
        if (connection.Source is { } source && builder.Password is null)
        {
            builder.Password = (source.Context.Passwords is { } passwords
                ? await passwords.GetAsync(mustBeNew: false, LimitOf(source), token).ConfigureAwait(false)
                : null) ?? source.Settings.Session.Password;
        }
        return Made(connection, builder);
    }

    /// <summary>Lets a callback, if there is one, supply the passwords of a data source whose connection string has none.</summary>
    public static void Offer(PgDataSource? source, ProvidePasswordCallback? callback)
    {
        if (callback is null || source?.Context.Passwords is not Session.SetPassword passwords || source.Settings.HasPassword)
            return;
        var (host, session) = (source.Settings.Transport.Host, source.Settings.Session);
        passwords.Fallback = () => callback(host.Host, host.Port, session.Database, session.User);
    }

    private static Deadline LimitOf(PgDataSource source) => Deadline.In(source.Settings.Session.OpenTimeout, source.Context.Time);

    private static PgConnection Made(PgConnection connection, PgConnectionStringBuilder builder)
    {
        if (connection.Source is { Settings.PersistSecurityInfo: false })
            builder.PersistSecurityInfo = false;
#pragma warning disable CS0618 // obsolete, and still in use
        return new PgConnection(builder.ConnectionString) { ProvidePasswordCallback = connection.ProvidePasswordCallback };
#pragma warning restore CS0618
    }
}
