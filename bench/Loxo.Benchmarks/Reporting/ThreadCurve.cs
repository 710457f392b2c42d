using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Loxo.Benchmarks.Reporting;

/// <summary>Queries per second by the number of threads, as a table and, where gnuplot is installed, as a picture.</summary>
internal sealed class ThreadCurve
{
    private readonly Report _report;
    private readonly Row[] _rows;
    private readonly PeerKind[] _peers;

    private ThreadCurve(Report report, Row[] rows, PeerKind[] peers)
    {
        _report = report;
        _rows = rows;
        _peers = peers;
    }

    /// <summary>The curve of a report; null when it has none.</summary>
    public static ThreadCurve? Of(Report report)
    {
        var rows = Rows.All.Where(row => row.Threads > 0 && report.Results.Exists(result => result.Row == row.Id)).ToArray();
        var peers = PeerKind.All.Where(peer => rows.Any(row => report.Find(row.Id, peer) is not null)).ToArray();
        return rows.Length > 0 ? new ThreadCurve(report, rows, peers) : null;
    }

    /// <summary>Queries per second, in Markdown.</summary>
    public string Table() => Table((row, peer) => Rate(row, peer)?.ToString("N0", CultureInfo.InvariantCulture));

    /// <summary>Microseconds of the client's CPU for each query, in Markdown.</summary>
    public string CpuTable() => Table((row, peer) => _report.Find(row.Id, peer)?.Cpu.Min().ToString("0.0", CultureInfo.InvariantCulture));

    /// <summary>Draws it into a file (SVG); false when gnuplot is missing.</summary>
    public bool Draw(string file)
    {
        var script = new StringBuilder("set terminal svg size 720,420 background 'white'\n");
        script.Append($"set output '{file}'\nset logscale x 2\nset xlabel 'threads'\nset ylabel 'queries per second'\nset yrange [0:*]\nset key bottom right\nset grid\n");
        for (var i = 0; i < _peers.Length; i++)
            script.Append($"$data{i} << END\n{Points(_peers[i])}END\n");
        script.Append("plot ").AppendJoin(", ", _peers.Select((peer, i) => $"$data{i} using 1:2 with linespoints linewidth 2 title '{peer.Name}'")).Append('\n');
        try
        {
            using var gnuplot = Process.Start(new ProcessStartInfo("gnuplot", "-") { RedirectStandardInput = true })!;
            gnuplot.StandardInput.Write(script);
            gnuplot.StandardInput.Close();
            gnuplot.WaitForExit();
            return gnuplot.ExitCode == 0;
        }
        catch (Win32Exception)
        {
            return false;
        }
    }

    private string Table(Func<Row, PeerKind, string?> figure)
    {
        var text = new StringBuilder($"| threads | {string.Join(" | ", _peers.Select(peer => peer.Name))} |\n|---:|{string.Concat(_peers.Select(_ => "---:|"))}\n");
        foreach (var row in _rows)
            text.Append($"| {row.Threads} | {string.Join(" | ", _peers.Select(peer => figure(row, peer)))} |\n");
        return text.ToString();
    }

    private string Points(PeerKind peer) =>
        string.Concat(_rows.Select(row => Rate(row, peer) is { } rate ? string.Create(CultureInfo.InvariantCulture, $"{row.Threads} {rate:0}\n") : ""));

    private double? Rate(Row row, PeerKind peer) => 1_000_000 / _report.Find(row.Id, peer)?.Minimum;
}
