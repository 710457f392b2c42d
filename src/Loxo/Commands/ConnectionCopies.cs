using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>Connections made of others.</summary>
internal static class ConnectionCopies
{
    /// <summary>Another connection string, with the password of <paramref name="connection"/> where it has none.</summary>
    public static PgConnection Of(PgConnection connection, string connectionString)
    {
        var builder = new PgConnectionStringBuilder(connectionString);
        AddPassword(connection, builder);
        return Made(connection, builder);
    }

    /// <inheritdoc cref="Of"/>
    public static async ValueTask<PgConnection> OfAsync(PgConnection connection, string connectionString, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var builder = new PgConnectionStringBuilder(connectionString);
        await AddPasswordAsync(connection, builder, token).ConfigureAwait(false);
        return Made(connection, builder);
    }

    /// <summary>The connection string for another database of the server of <paramref name="connection"/>, which must be open.</summary>
    public static string ToDatabase(PgConnection connection, string database)
    {
        var builder = BuilderFor(connection, database);
        AddPassword(connection, builder);
        return builder.ConnectionString;
    }

    /// <inheritdoc cref="ToDatabase"/>
    public static async ValueTask<string> ToDatabaseAsync(PgConnection connection, string database, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var builder = BuilderFor(connection, database);
        await AddPasswordAsync(connection, builder, token).ConfigureAwait(false);
        return builder.ConnectionString;
    }

    /// <summary>Lets a callback, if there is one, supply the passwords of a data source whose connection string has none.</summary>
    public static void Offer(PgDataSource? source, ProvidePasswordCallback? callback)
    {
        if (callback is null || source is null or { Settings.HasPassword: true })
            return;
        foreach (var one in source.Sources)
        {
            if (one.Context.Passwords is Session.SetPassword passwords)
                passwords.Fallback = FallbackOf(one, callback);
        }
    }

    // A method of its own, as a lambda in Offer would cost every open connection an object.
    private static Func<string?> FallbackOf(PgDataSource source, ProvidePasswordCallback callback)
    {
        var (host, session) = (source.Settings.Transport.Host, source.Settings.Session);
        return () => callback(host.Host, host.Port, session.Database, session.User);
    }

    private static PgConnectionStringBuilder BuilderFor(PgConnection connection, string database)
    {
        ArgumentException.ThrowIfNullOrEmpty(database);
        OwnSession.Of(connection, PgOwnSessionReason.Other, "ChangeDatabase");
        return new PgConnectionStringBuilder(connection.Source!.Settings.ConnectionString) { Database = database };
    }

    private static void AddPassword(PgConnection connection, PgConnectionStringBuilder builder)
    {
        if (connection.Source is { } source && builder.Password is null)
            builder.Password = source.Context.Passwords?.Get(source.Context, refused: null, LimitOf(source))?.Secret
                ?? source.Settings.Session.Password;
    }

    private static async ValueTask AddPasswordAsync(PgConnection connection, PgConnectionStringBuilder builder, CancellationToken token)
    {
        if (connection.Source is not { } source || builder.Password is not null)
            return;
        builder.Password = (source.Context.Passwords is { } passwords
            ? (await passwords.GetAsync(source.Context, refused: null, LimitOf(source), token).ConfigureAwait(false))?.Secret
            : null) ?? source.Settings.Session.Password;
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
