namespace Loxo;

/// <summary>Receives the notices of a connection.</summary>
/// <param name="sender">The connection.</param>
/// <param name="e">The notice.</param>
public delegate void NoticeEventHandler(object sender, PgNoticeEventArgs e);

/// <summary>A notice that the server sent.</summary>
public sealed class PgNoticeEventArgs : EventArgs
{
    internal PgNoticeEventArgs(PostgresNotice notice) => Notice = notice;

    /// <summary>The notice with all its fields.</summary>
    public PostgresNotice Notice { get; }
}
